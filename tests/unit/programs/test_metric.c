/* What is taken as the metric: only what the program has written as one number. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/study/metric.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"

static struct scratch scratch;

/* NaN: nothing is. */
static double taken(const struct mk_metric *m, const char *text, size_t n, struct mk_error *err)
{
    enum mk_trial_status status;
    double value;
    const int code = mk_metric_read(m, scratch_write(&scratch, "out", text, n), &value, &status, err);
    return code ? NAN : value;
}

static void check_last_number(void)
{
    static const struct {
        const char *text;
        double want;
    } cases[] = {{"0.5", 0.5},
                 {"1 2 3\n", 3},
                 {"score: -1.5e-3", -1.5e-3},
                 {"loss=.25, after 12 epochs.", 12},
                 {"accuracy=0.9 done", 0.9},
                 {"a:b=7", 7},
                 {"(0.25)", 0.25},
                 {"\"0.75\"", 0.75},
                 {"Accuracy = 83.7037% (good)", 83.7037},
                 {"12 34.", 34},
                 {"took 3s, final 9", 9},
                 {"v1.2.3 ran +4", 4},
                 {"1000000000000000000000000000000000000000000000000000000000000000000000", 1e69},
                 {"0,96", NAN},
                 {"accuracy 0,873", NAN},
                 {"1,234,567", NAN},
                 {"0.5D-01", NAN},
                 {"0x1p-3", NAN},
                 {"\xe2\x88\x92"
                  "0.5",
                  NAN}, /* U+2212 */
                 {"0.5 of 7b", NAN},
                 {"0.5 in 3.2s", NAN},
                 {"0.1.2", NAN},
                 {"1e400", NAN},
                 {"1e101", NAN},
                 {"0.9 nan", NAN},
                 {"-inf", NAN},
                 {"1e", NAN},
                 {"--5", NAN},
                 {"nothing", NAN},
                 {"", NAN}};
    const struct mk_metric m = {.source = MK_METRIC_LAST_NUMBER};
    struct mk_error err;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double got = taken(&m, cases[i].text, strlen(cases[i].text), &err);
        CHECK(got == cases[i].want || (isnan(got) && isnan(cases[i].want)), "'%s' is read as %g", cases[i].text, got);
    }
}

static void check_others(void)
{
    static char json[] = "json", regex[] = "([0-9.,e]+)", path[] = "a.1";
    static const struct {
        enum mk_metric_source source;
        char *pattern;
        const char *text;
        double want;
    } cases[] = {{MK_METRIC_JSON, json, "{\"json\": 0.5}", 0.5},
                 {MK_METRIC_JSON, json, "{\"json\": 1}\n{\"json\": 2}", 2},
                 {MK_METRIC_JSON, json, "{\"json\": 1, \"json\": 2}", 2},
                 {MK_METRIC_JSON, json, "{\"json\": \"0.5\", \"x\": \"\\ud83d\\ude00\"}", 0.5},
                 {MK_METRIC_JSON, json, "{\n \"json\": 3\n}\n", 3},
                 {MK_METRIC_JSON, path, "{\"a\": [1, {\"b\": 2}]}", NAN},
                 {MK_METRIC_JSON, path, "{\"a\": [1, 2]}", 2},
                 {MK_METRIC_JSON, json, "{\"json\": \"0,5\"}", NAN},
                 {MK_METRIC_JSON, json, "{\"json\": \"0.5\\u0000x\"}", NAN},
                 {MK_METRIC_JSON, json, "{\"json\": 0,5}", NAN},
                 {MK_METRIC_JSON, json, "{json: 0.5}", NAN},
                 {MK_METRIC_JSON, json, "{'json': 0.5}", NAN},
                 {MK_METRIC_JSON, json, "{\"json\": 0.5, \"it's \\\"\": \"'\"}", 0.5},
                 {MK_METRIC_JSON, json, "{\"a\": \"\\\\\", 'json': 0.5}", NAN},
                 {MK_METRIC_JSON, json, "{\"json\": 0x10}", NAN},
                 {MK_METRIC_JSON, json, "{\"json\": 1e400}", NAN},
                 {MK_METRIC_JSON, json, "{\"json\": 123456789012345678901}", NAN},
                 {MK_METRIC_JSON, json, "{\"json\": true}", NAN},
                 {MK_METRIC_JSON, json, "{\"json\": 0.5} trailing", NAN},
                 {MK_METRIC_JSON, json, "{\"json\": 0.5, \"error\": \"no\"}", NAN},
                 {MK_METRIC_REGEX, regex, "loss 0.5", 0.5},
                 {MK_METRIC_REGEX, regex, "loss 0,5", NAN},
                 {MK_METRIC_REGEX, regex, "1e400", NAN},
                 {MK_METRIC_SMAC, NULL, "cost=0.5; status=SUCCESS", 0.5},
                 {MK_METRIC_SMAC, NULL, "runtime=1; cost=0.25", 0.25},
                 {MK_METRIC_SMAC, NULL, "cost=0,5; status=SUCCESS", NAN},
                 {MK_METRIC_SMAC, NULL, "cost=0.5; status=CRASHED", NAN},
                 {MK_METRIC_IRACE, NULL, "0.5 1.25\n", 0.5},
                 {MK_METRIC_IRACE, NULL, "0,5\n", NAN}};
    struct mk_error err;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct mk_metric m = {.source = cases[i].source, .pattern = cases[i].pattern};
        const double got = taken(&m, cases[i].text, strlen(cases[i].text), &err);
        CHECK(got == cases[i].want || (isnan(got) && isnan(cases[i].want)), "'%s' is read as %g", cases[i].text, got);
    }
}

/* Of a regular expression the first group of the last match, if it is a whole number. */
static void check_regex(void)
{
    static char manual[] = "accuracy: ([0-9.]+)", swallows[] = "acc.*: ([0-9.]+).*", greedy[] = "acc.*([0-9.]+)",
                bare[] = "[0-9]+\\.?[0-9]*", unit[] = "([0-9.]+)s", word[] = "loss (nan|inf|[0-9.]+)",
                begin[] = "^([0-9]+)", optional[] = "a(x)?", sign[] = "loss[:=] ?-?([0-9.]+)",
                name[] = "epoch-([0-9]+)", empty[] = "([0-9.]*)";
    static const struct {
        char *pattern;
        const char *text;
        double want;
    } cases[] = {{manual, "accuracy: 0.96", 0.96},
                 {manual, "accuracy: 0.5, accuracy: 0.96 (best)\n", 0.96},
                 {manual, "accuracy: 0.5\naccuracy: 0.96\nloss: 3\n", 0.96},
                 {manual, "accuracy: 0,96", NAN},
                 {manual, "accuracy: 9.6e-05", NAN},
                 {manual, "accuracy: 9.6E5", NAN},
                 {manual, "accuracy: 0.5D-01", NAN},
                 {manual, "accuracy: 1e400", NAN},
                 {manual, "accuracy: 0x1p-3", NAN},
                 {manual, "accuracy: 0xffp-3", NAN},
                 {manual, "accuracy: 1'234", NAN},
                 {manual, "accuracy: 1_234", NAN},
                 {manual, "accuracy: 950ms", NAN},
                 {manual, "accuracy: 0.5\naccuracy: 0,96\n", NAN},
                 {manual, "accuracy: 0,96\naccuracy: 0.5\n", 0.5},
                 {manual, "accuracy: 96%", 96},
                 {manual, "accuracy: 0.96, loss: 2", 0.96},
                 {manual,
                  "accuracy: 0.96\xc2\xb1"
                  "0.02",
                  0.96},
                 {manual, "accuracy: 0.9.6", NAN},
                 {swallows, "acc: 0.96 of 1", 0.96},
                 {swallows, "acc: 9.6e-05 of 1", NAN},
                 {greedy, "acc 0.96", NAN},
                 {greedy, "acc -6", NAN},
                 {bare, "9.6e-05", NAN},
                 {bare, "0,96", NAN},
                 {bare, ".96", NAN},
                 {bare, "v1.5", NAN},
                 {bare, "0x15", NAN},
                 {bare, "-1.5", NAN},
                 {bare, "x = -1.5", NAN},
                 {bare,
                  "\xe2\x88\x92"
                  "1.5",
                  NAN},
                 {bare, "0.5 1.5", 1.5},
                 {bare, "(1.5)", 1.5},
                 {bare, "acc......7", 7},
                 {unit, "took 3.5s", 3.5},
                 {unit, "took 950ms", NAN},
                 {word, "loss nan", NAN},
                 {word, "loss info", NAN},
                 {word, "loss 2", 2},
                 {begin, "1\n2 3", 2},
                 {optional, "a", NAN},
                 {sign, "loss: 0.5", 0.5},
                 {sign, "loss: -0.5", NAN},
                 {sign, "loss=-0.5", NAN},
                 {name, "epoch-12", 12},
                 {empty, "0.5", NAN}};
    struct mk_error err;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct mk_metric m = {.source = MK_METRIC_REGEX, .pattern = cases[i].pattern};
        const double got = taken(&m, cases[i].text, strlen(cases[i].text), &err);
        CHECK(got == cases[i].want || (isnan(got) && isnan(cases[i].want)), "'%s' in '%s' is read as %g",
              cases[i].pattern, cases[i].text, got);
    }
    const struct mk_metric m = {.source = MK_METRIC_REGEX, .pattern = manual};
    taken(&m, "accuracy: 9.6e-05", 17, &err);
    CHECK(strcmp(err.text, "'9.6' is only a part of '9.6e-05'") == 0, "says what: %s", err.text);
}

/* A line longer than what is looked at in one piece: a number across the end of a piece is not taken. */
static void check_long_line(void)
{
    static char pattern[] = "a([0-9]+)";
    const struct mk_metric m = {.source = MK_METRIC_REGEX, .pattern = pattern};
    const size_t room = MK_METRIC_LINE + 100;
    char *text = malloc(room);
    struct mk_error err;
    REQUIRE(text, "memory");
    for (int shift = -3; shift <= 1; shift++) {
        memset(text, '.', room);
        memcpy(text + MK_METRIC_LINE + shift, "a12", 3);
        const double got = taken(&m, text, room, &err);
        CHECK(shift == -3 || shift == 1 ? got == 12 : isnan(got), "%d bytes from the end of a piece: %g", shift, got);
    }
    free(text);
}

/* Of a file of 4 TiB the end is read. */
static void check_large_file(void)
{
    static char pattern[] = "([0-9.]+)", key[] = "v";
    const struct mk_metric m[] = {{.source = MK_METRIC_REGEX, .pattern = pattern},
                                  {.source = MK_METRIC_JSON, .pattern = key},
                                  {.source = MK_METRIC_LAST_NUMBER}};
    const char *path = scratch_write(&scratch, "out", "0.5\n", 4);
    enum mk_trial_status status;
    struct mk_error err;
    double value;
    FILE *f = fopen(path, "r+");
    REQUIRE(f && !fseeko(f, (off_t)1 << 42, SEEK_SET) && fputs("\n{\"v\": 0.75}\n", f) >= 0 && !fclose(f),
            "a large file");
    for (size_t i = 0; i < 2; i++)
        CHECK(!mk_metric_read(&m[i], path, &value, &status, &err) && value == 0.75, "the end of 4 TiB: %g", value);
    CHECK(mk_metric_read(&m[2], "/proc/self/mem", &value, &status, &err) != MK_OK, "a file that cannot be read");
}

static void check_answers(void)
{
    static const struct {
        const char *line;
        double want;
        bool bad, unnamed;
    } cases[] = {{"{\"trial\": 7, \"value\": 0.5}", 0.5, false, false},
                 {"{\"trial\": 7, \"value\": 0.5}", 0.5, false, true},
                 {"{\"value\": 0.5}", NAN, true, false},
                 {"{\"value\": 0.5}", 0.5, false, true},
                 {"{\"trial\": 6, \"value\": 0.5}", NAN, true, false},
                 {"{\"trial\": 6, \"value\": 0.5}", NAN, true, true},
                 {"{\"trial\": null, \"value\": 0.5}", NAN, true, true},
                 {"{\"trial\": 7, \"error\": \"why\"}", NAN, false, false},
                 {"{\"error\": \"why\"}", NAN, true, false},
                 {"{\"error\": \"why\"}", NAN, false, true},
                 {"{\"trial\": 7, \"level\": \"warning\"}", NAN, true, false},
                 {"{\"level\": \"warning\"}", NAN, true, true},
                 {"{not json", NAN, true, true},
                 {"{'trial': 7, 'value': 1}", NAN, true, false},
                 {"{\"trial\": 7, \"value\": 1,}", NAN, true, false},
                 {"{\"trial\": 7, \"value\": NaN}", NAN, false, false}};
    struct mk_error err;
    double value;
    bool bad;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct mk_metric m = {.source = MK_METRIC_LAST_NUMBER, .unnamed = cases[i].unnamed};
        const int code = mk_metric_of_answer(&m, cases[i].line, strlen(cases[i].line), 7, &value, &bad, &err);
        CHECK((code != MK_OK) == isnan(cases[i].want) && (code || value == cases[i].want) && bad == cases[i].bad,
              "%s: %s", cases[i].line, code ? err.text : "taken");
    }
    const struct mk_metric m = {.source = MK_METRIC_LAST_NUMBER, .unnamed = true};
    CHECK(mk_metric_of_answer(&m, "{\"value\":\0 1}", 13, 7, &value, &bad, &err) && bad, "a byte 0: %s", err.text);
}

int main(void)
{
    scratch_make(&scratch);
    check_last_number();
    check_others();
    check_regex();
    check_long_line();
    check_large_file();
    check_answers();
    scratch_remove(&scratch);
    return CHECK_EXIT;
}
