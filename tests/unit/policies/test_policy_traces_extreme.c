/* Max-K-armed policies against an independent implementation, arm by arm.
 *
 * The sequences below were printed by tests/reference/extreme.py, which evaluates the formulas naively over whole
 * histories with NumPy and SciPy. The reward tape is a linear congruential generator that both sides implement. */
#include "tests/support/check.h"
#include "tests/support/drive_policy.h"

enum kind { UNIT, COARSE, HEAVY };

static const struct {
    const char *policy, *settings;
    size_t arms;
    uint64_t horizon;
    enum kind kind;
    const char *sequence;
} cases[] = {
    {"max_ucb", "", 5, 60, UNIT, "012341342002413021040023333333333333333333333333333333333333"},
    {"max_ucb", "scale=global_max round_offset=-1 ties=random", 5, 60, COARSE,
     "012341203402010420000000000300000000000000000010000000000000"},
    {"max_ucb", "alpha=1.5 scale=minmax", 5, 60, UNIT, "012341342002413021433302144133024113340132314313022341332313"},
    {"max_ucb_burn_in", "", 5, 100, UNIT,
     "0123401234012340123401234012340123412340121301211411111111111111111121111111111111111113333333333333"},
    {"max_ucb_burn_in", "burn_in=3 round=restart scale=minmax", 5, 80, UNIT,
     "01234012340123401234342013341333333333342301133333333333313333333333333333333333"},
    {"max_ucb_burn_in", "burn_in=2 scale=minmax scale_from=start ties=random", 5, 80, COARSE,
     "01234012340123410234333323301441333333343333333333333333333333333331113333333333"},
    {"max_ucb_remaining", "", 5, 60, UNIT, "012341342002413021403333333333333333333333333333333333333333"},
    {"max_ucb_remaining", "alpha=2 scale=minmax ties=random", 5, 60, COARSE,
     "012341203402143021433021434102341301341233413031333333333333"},
    {"qomax_etc", "", 5, 80, UNIT, "01234012340123401234012340123401234012340123401234012340123433333333333333333333"},
    {"qomax_etc", "q=0.9 batches=5 batch_size=2 ties=random", 6, 80, COARSE,
     "01234501234501234501234501234501234501234501234501234501234533333333333333333333"},
    {"qomax_etc", "q=0.9 size=log", 5, 60, UNIT, "012340123401234012340123401234012340123401234012340123401234"},
    {"qomax_sda", "", 5, 300, UNIT,
     "0134210002223334441133000001111122222444443331111111110002223334443333333333331111113333000222444333"
     "3333344444444433333333000000000222222222333333331111444433333333333333333333000022223333333333333333"
     "3333333333333333333333330000111122224444333333333333333333333333333333333333333333333333333333333333"},
    {"qomax_sda", "q=0.9 f_floor=5 window=stored_key qomax=queried order=shuffled", 5, 400, UNIT,
     "2143000011122244433344444000003333322222111114443332221110001112223330004443333333331111111110000000"
     "0044444444422222222233333333333333333333111133333333333311113333333333333333333333333333333333333333"
     "3333000022224444333333333333333333333333333333333333333322220000444433333333333333333333333333333333"
     "3333333333333333333333333333222222222222200000000000004444444444444111111111111133333333333333333333"},
    {"qomax_sda", "q=0.9 f_floor=2 window=stored_key gamma=0.5", 4, 400, HEAVY,
     "0132000111222333001122333333001122330000000111111122222223333333330001112221110002221111110002223331"
     "1100022233311111111100000000000002222222222222333333333333311111111111111111111100002222333311111111"
     "0000222233331111000022223333111100002222333311110000222233331111000022223333111100000000000000000000"
     "0222222222222222222222333333333333333333333111111111111111111111133333333333333333333333333333333333"},
    {"qomax_sda", "qomax=queried order=shuffled", 5, 300, COARSE,
     "2143014440003332221122222000003333311444442221110003331112223331113334443333333334440003333333334444"
     "4444411111111133333333333333332222222220000000003333333333333333333333333333333344441111222200003333"
     "3333333333333333333333333333333333331111000022224444333333331111111111111333333333333333333333333333"},
    {"qomax_sda", "f_floor=3", 2, 100, UNIT,
     "0100011111111000000001111111111111110001111111111111111111111111110000000001111111111111111111111111"},
    {"max_median", "", 5, 100, UNIT,
     "0123413443222222222002222222222222222222222222102222222222222222222222222222222222222222222222222222"},
    {"max_median", "round_offset=-1 ties=random", 5, 150, COARSE,
     "0123412232222222000011422222222222222211001010001000000011111111100110111000000000000000000000000000"
     "00000000220000000000000000000000000000000000000000"},
    {"max_median", "epsilon=8", 4, 100, HEAVY,
     "0123231101201030200232033333333322332132333323333333333333333333333322222222111333333333013333333313"},
    {"threshold_ascent", "", 5, 100, UNIT,
     "0123401234012340123402413204213031421203421103411210303312242431224312240433134433331301431204333133"},
    {"threshold_ascent", "s=7 ties=random", 5, 150, COARSE,
     "2034131240024132013401231042342031413141302143330243024134201331320314203130241133142031324033342033"
     "40232403304231204330124333301423214033021433401233"},
    {"threshold_ascent", "s=7 refresh=moved ties=random", 5, 150, COARSE,
     "2034131240024132013401204323140231413141302143102433320434201331320314023130421320413342013124033333"
     "20432043320431204330214331420314023312403302143420"},
    {"threshold_ascent", "s=5 delta=0.01", 6, 150, HEAVY,
     "0123451234505024135240134530125340123540125134502234501233301425301425301425301445535301235012435012"
     "43501124313024153024153024153024315024414502145302"},
    {"max_search_gaussian", "", 5, 100, UNIT,
     "0123401234302143301323114330011102441333340310314203301330142333023333223021332221244011132304133320"},
    {"max_search_gaussian", "c=0.6 round_offset=-1 ties=random nan=maximum", 5, 80, COARSE,
     "01234203410314233110333143244333332300011111103330331333333334331302320333133333"},
    {"max_search_gaussian", "numerics=rescan scale=minmax", 5, 60, UNIT,
     "012340123430214330132311433001110244133334031031420330133014"},
    {"max_search_subgaussian", "", 5, 100, UNIT,
     "0123401012233443012431331300424031111033333104321003331033423333333330013230313334022232222210333111"},
    {"max_search_subgaussian", "c=0.1 round_offset=-1 ties=random nan=maximum", 5, 80, COARSE,
     "01234203410333111420133333333333333333333333333333333333333333333333333333333333"},
    {"max_search_subgaussian", "numerics=rescan scale=minmax", 5, 60, UNIT,
     "012340101223344301243133130042403111103333310432100333103342"},
    {"extreme_hunter", "b=10", 3, 150, HEAVY,
     "0120120120120120120120120120120120120120120120120120120120120120120120120120120120120120111111111111"
     "11111111111111111110110111111111111111111111100011"},
    {"extreme_hunter", "b=10 steps=7 ties=random D=0.1 E=0.1", 3, 150, UNIT,
     "0120120120120120120120120120120120120120120120120120120120120120120120120120120120120120111111112222"
     "22200000001111111222222200000001111111222222211111"},
    {"extreme_hunter", "", 5, 60, HEAVY, "012340123401234012340123401234012340123401234012340123401234"},
    {"extreme_etc", "b=10", 3, 150, HEAVY,
     "0120120120120120120120120120120120120120120120120120120120120120120120120120120120120120111111111111"
     "11111111111111111111111111111111111111111111111111"},
};

/* The next reward of an arm whose generator is at *x. */
static double tape_next(uint64_t *x, enum kind kind, size_t arm)
{
    *x = *x * 6364136223846793005ULL + 1442695040888963407ULL;
    double u = (double)(*x >> 11) * 0x1p-53;
    if (kind == COARSE) u = floor(u * 6) / 6;
    if (kind == HEAVY) return (1 + 0.5 * (double)arm) / (1 - u);
    return u * (0.75 + 0.125 * (double)(3 * arm % 5));
}

/* Plays `horizon` rounds; writes one digit per round. */
static int play(struct drive *d, enum kind kind, char *sequence)
{
    uint64_t x[10];
    for (size_t k = 0; k < d->setup.arms; k++) {
        x[k] = k + 1;
        for (int i = 0; i < 3; i++) tape_next(&x[k], kind, k);
    }
    drive_start(d, 42);
    for (uint64_t t = 1; t <= d->setup.horizon; t++) {
        size_t arm = drive_select(d, t);
        if (arm >= d->setup.arms) return -1;
        d->type->update(d->state, arm, tape_next(&x[arm], kind, arm), t);
        sequence[t - 1] = (char)('0' + arm);
    }
    sequence[d->setup.horizon] = 0;
    return 0;
}

static void test_case(size_t c)
{
    struct drive d;
    char got[2048] = "";
    size_t same = 0;
    const char *want = cases[c].sequence;
    if (drive_open(&d, cases[c].policy, cases[c].settings, cases[c].arms, cases[c].horizon) == 0) {
        if (play(&d, cases[c].kind, got) == 0)
            while (want[same] && want[same] == got[same]) same++;
        drive_close(&d);
    }
    CHECK(strlen(want) == cases[c].horizon && same == cases[c].horizon, "%s {%s}: %zu of %zu arms as in the reference",
          cases[c].policy, cases[c].settings, same, strlen(want));
}

/* size: log means b = floor(log^2 T) + 1 and n = floor(log T) + 1; by hand for T = 700: log T = 6.55, log^2 T = 42.9,
 * so b = 43 and n = 7. Two arms need 602 rounds of exploration, three would need 903. */
static void test_qomax_etc_sizes(void)
{
    struct drive a, b, c;
    char by_log[1024] = "", fixed[1024] = "", robin[1024] = "";
    int open = drive_open(&a, "qomax_etc", "size=log q=0.9", 2, 700) == 0 &&
               drive_open(&b, "qomax_etc", "batches=43 batch_size=7 q=0.9", 2, 700) == 0 &&
               drive_open(&c, "qomax_etc", "size=log q=0.9", 3, 700) == 0;
    CHECK(open, "qomax_etc opens");
    if (!open) return;
    int good = play(&a, UNIT, by_log) == 0 && play(&b, UNIT, fixed) == 0 && play(&c, UNIT, robin) == 0;
    CHECK(good && strcmp(by_log, fixed) == 0, "qomax_etc: logarithmic sizes at T = 700 are 43 batches of 7");
    int committed = good;
    for (size_t t = 0; t < 700; t++) committed &= t < 602 ? by_log[t] == '0' + (char)(t % 2) : by_log[t] == by_log[602];
    CHECK(committed, "qomax_etc: 602 rounds of round robin, then one arm");
    int in_turn = good;
    for (size_t t = 0; t < 700; t++) in_turn &= robin[t] == '0' + (char)(t % 3);
    CHECK(in_turn, "qomax_etc: round robin where the exploration does not fit");
    drive_close(&a);
    drive_close(&b);
    drive_close(&c);
}

int main(void)
{
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) test_case(c);
    test_qomax_etc_sizes();
    return CHECK_EXIT;
}
