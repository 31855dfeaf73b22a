/* Words of the input: what is printable, clipping, joining, near words, sizes, exact whole numbers. Expected texts are
 * written by hand. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/number.h"
#include "sim/base/param.h"
#include "sim/base/text.h"
#include "tests/support/check.h"

static void check_words(void)
{
    static const char *const words[] = {"alpha", "scale", "ties", "round_offset"};
    CHECK(mk_nearest("alhpa", words, 4) == words[0] && mk_nearest("round-offset", words, 4) == words[3] &&
              mk_nearest("tie", words, 4) == words[2],
          "nearest words");
    CHECK(!mk_nearest("beta", words, 4) && !mk_nearest("x", words, 4) && !mk_nearest("", words, 4), "none is near");
}

static void check_counted(void)
{
    char text[MK_COUNTED_ROOM];
    CHECK(strcmp(mk_counted(1, "trial", NULL, text), "1 trial") == 0 &&
              strcmp(mk_counted(2, "trial", NULL, text), "2 trials") == 0 &&
              strcmp(mk_counted(0, "trial", NULL, text), "0 trials") == 0,
          "a plural with s");
    CHECK(strcmp(mk_counted(1, "policy", "policies", text), "1 policy") == 0 &&
              strcmp(mk_counted(12, "policy", "policies", text), "12 policies") == 0,
          "another plural");
}

static void check_clip(void)
{
    char clip[MK_CLIP_ROOM], long_text[100];
    memset(long_text, 'x', sizeof long_text);
    memcpy(long_text + 59, "é", 2);
    long_text[99] = 0;
    CHECK(strlen(mk_clip(long_text, clip)) == 59 + strlen("…"), "clipped between characters");
    CHECK(strcmp(mk_clip("short", clip), "short") == 0 && strcmp(mk_clip("", clip), "") == 0, "short texts stay");
    CHECK(strcmp(mk_clip_bytes("abcdef", 3, clip), "abc") == 0, "a part of a text");
    memset(long_text, 'x', sizeof long_text);
    CHECK(strlen(mk_clip_bytes(long_text, 60, clip)) == 60 && strlen(mk_clip_bytes(long_text, 61, clip)) == 60 + 3,
          "60 bytes are whole, 61 are not");
}

static void check_printable(void)
{
    CHECK(mk_text_printable("aé→𝔸", strlen("aé→𝔸")), "UTF-8 is printable");
    static const char *const bad[] = {"\x80",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xe0\x9f\xbf",
                                      "\xed\xa0\x80",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xe2\x82",
                                      "a\n",
                                      "\x7f",
                                      "\xc2\x85"};
    int accepted = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) accepted += mk_text_printable(bad[i], strlen(bad[i]));
    CHECK(accepted == 0, "overlong, surrogate, cut and control characters are not");
}

/* The words of a choice as far as they fit, and no byte beyond the room. */
static void check_choices(void)
{
    bool beyond = false;
    char list[16];
    for (size_t room = 1; room < 12; room++) {
        memset(list, '#', sizeof list);
        mk_choice_list("a|bc|d", list, room);
        for (size_t i = room; i < sizeof list; i++) beyond |= list[i] != '#';
    }
    CHECK(!beyond && strcmp(mk_choice_list("a|bc|d", list, sizeof list), "a, bc, d") == 0, "a list of choices");
}

static void check_one_line(const char *text, const char *want, const char *what)
{
    char line[64];
    snprintf(line, sizeof line, "%s", text);
    mk_text_one_line(line);
    CHECK(strcmp(line, want) == 0 && mk_text_printable(line, strlen(line)), "%s", what);
}

static void check_lines(void)
{
    check_one_line("a\tb\nc\x1b[31m", "a b c [31m", "controls become blanks");
    check_one_line("\xc2\x85x\xe2\x80\xae!", "  x   !", "so do those of several bytes");
    check_one_line("\x80z\xe2\x82", "?z??", "bytes that are not UTF-8 become question marks");
    check_one_line("é→𝔸", "é→𝔸", "UTF-8 stays");
    CHECK(mk_text_printable_lines("one\ntwö\n") && mk_text_printable_lines("") && !mk_text_printable_lines("a\tb") &&
              !mk_text_printable_lines("one\n\x80\n"),
          "lines of a text");
}

static void check_join(void)
{
    static const char *const words[] = {"alpha", "beta", "gamma"};
    char out[40];
    CHECK(strcmp(mk_join(words, 3, out, sizeof out), "alpha, beta, gamma") == 0, "joined words");
    CHECK(strcmp(mk_join(words, 0, out, sizeof out), "") == 0 &&
              strcmp(mk_join(words, 1, out, sizeof out), "alpha") == 0,
          "none and one");
    int wrong = 0;
    for (size_t room = 1; room <= sizeof out; room++) {
        memset(out, '#', sizeof out);
        mk_join(words, 3, out, room);
        size_t n = strlen(out);
        wrong += n >= room || (strcmp(out, "alpha, beta, gamma") != 0 && n > 0 && strcmp(out + n - 3, "…") != 0);
        for (size_t i = room; i < sizeof out; i++) wrong += out[i] != '#';
    }
    CHECK(!wrong, "in any room: as many as fit, then …, nothing past the end");
}

static void check_stem(const char *path, const char *want)
{
    char out[32];
    CHECK(strcmp(mk_file_stem(path, out, sizeof out), want) == 0, "the stem of %s is %s", path, want);
}

static void check_sizes(void)
{
    static const struct {
        double bytes;
        const char *want;
    } size[] = {{0, "0 B"},         {999, "999 B"},   {1000, "1 kB"},     {1536, "1.54 kB"},
                {999499, "999 kB"}, {999500, "1 MB"}, {999.7, "1 kB"},    {2.5e9, "2.5 GB"},
                {32e12, "32 TB"},   {2e17, "200 PB"}, {9.9e20, "990 EB"}, {1e22, "1e+04 EB"}};
    char out[MK_SIZE_ROOM];
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        CHECK(strcmp(mk_size_text(size[i].bytes, out), size[i].want) == 0, "%g bytes: %s", size[i].bytes, out);
}

static void check_texts(void)
{
    char **text = calloc(3, sizeof *text);
    mk_free_texts(NULL, 3);
    for (size_t i = 0; text && i < 2; i++) text[i] = strdup("x");
    mk_free_texts(text, 3);
    CHECK(text != NULL, "texts are freed, those that are NULL too");
}

/* 2^53 = 9007199254740992. */
static bool is_exact(const char *text)
{
    double x;
    return mk_parse_real(text, strlen(text), &x) && mk_is_exact(text, strlen(text), x);
}

static void check_exact(void)
{
    static const struct mk_param count = {"count", MK_INTEGER, 0, 0, -INFINITY, INFINITY, NULL, NULL};
    CHECK(MK_EXACT_MAX == 9007199254740992.0 && (uint64_t)MK_EXACT_MAX == UINT64_C(9007199254740992) &&
              MK_EXACT_MAX + 1 == MK_EXACT_MAX && MK_EXACT_MAX - 1 != MK_EXACT_MAX,
          "MK_EXACT_MAX is 2^53, after which doubles leave whole numbers out");
    CHECK(is_exact("9007199254740992") && is_exact("9007199254740991") && is_exact("-9007199254740992") &&
              is_exact("1e15") && is_exact("9007199254740994"),
          "texts of whole numbers that are doubles are exact");
    CHECK(!is_exact("9007199254740993") && !is_exact("-9007199254740993") && !is_exact("1e23"),
          "2^53 + 1 and 10^23, which are not, are not");
    CHECK(mk_param_allows(&count, MK_EXACT_MAX) && mk_param_allows(&count, -MK_EXACT_MAX) &&
              !mk_param_allows(&count, MK_EXACT_MAX + 2) && !mk_param_allows(&count, 0.5) &&
              !mk_param_allows(&count, (double)NAN),
          "whole parameters reach from -2^53 to 2^53");
}

int main(void)
{
    check_texts();
    check_exact();
    check_words();
    check_counted();
    check_clip();
    check_printable();
    check_lines();
    check_join();
    check_choices();
    check_stem("results/e4_power.h5", "e4_power");
    check_stem("a.b/c.d/data.csv.gz", "data");
    check_stem("my.experiment.yaml", "my.experiment");
    check_stem("x.yml", "x");
    check_stem(".csv", ".csv");
    check_stem("dir/", "");
    check_stem("a_name_that_is_much_longer_than_the_room.txt", "a_name_that_is_much_longer_than");
    check_sizes();
    return CHECK_EXIT;
}
