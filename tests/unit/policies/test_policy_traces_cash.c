/* Arm sequences against an independent re-implementation: tests/reference/cash_policies.py computes every policy
 * straight from its formula on whole histories (pure Python; Beta and gamma variates from GSL) and printed the table
 * below. */
#include "tests/support/check.h"
#include "tests/support/drive_policy.h"

enum tape { NOISE, RISING, GROWING };
enum { ARMS = 6, ROUNDS = 120 };

static const double cost[ARMS] = {1.0, 0.5, 2.0, 4.0, 1.5, 0.25};

struct trace {
    const char *policy, *options;
    enum tape tape;
    size_t arms;
    uint64_t rounds;
    const char *want;
};

static const struct trace traces[] = {
    {"quantile_ucb", "", NOISE, 5, 80,
     "01234222412222022202444444333333114314444444444444013444314444434420444341424443"},
    {"quantile_ucb", "alpha=0.25 tau=0.5 scale=none", NOISE, 6, 80,
     "01234552444150314422133444405441102433014553031140212202344215555104154522104515"},
    {"quantile_ucb", "alpha=1 tau=1", RISING, 4, 80,
     "01232222312333330333333331333303333333133333333333333331333333303333323333323333"},
    {"quantile_bayes_ucb", "", NOISE, 5, 80,
     "01234222222422222212222222222222222222222202222222222222222222222222222222022222"},
    {"quantile_bayes_ucb", "spread=sd", NOISE, 6, 80,
     "01234555254444444444414444220144544433333333333333333333331234345343333333333333"},
    {"quantile_bayes_ucb", "tau=0.8 alpha_0=2 beta_0=1 scale=none", NOISE, 4, 80,
     "01232212200111032102110213333333333333333302213333233102222331233333333333333333"},
    {"er_ucb_s", "", NOISE, 5, 80, "01234330330330311110333333333333333333333333333333333333333333333333333333333333"},
    {"er_ucb_s", "gamma_on=mean scale=minmax", NOISE, 6, 80,
     "01234555244444144404224415343314320453414014253401322422541404135255555555555555"},
    {"er_ucb_s", "beta=0.3 theta=0.1 gamma=5 alpha=2.5 scale=global_max", NOISE, 4, 80,
     "01232222222122222222222222222211111111111111111112111111111221111211211111111111"},
    {"er_ucb_n", "", RISING, 5, 80, "01234012340000000000000000000000000000000000000000000000000000000000000000000000"},
    {"er_ucb_n", "gamma=0.2 theta=1", NOISE, 5, 80,
     "01234012340000000333333333333333333333330003033330033303333303330333330003303333"},
    {"er_ucb_n", "slope=zero gamma=5", NOISE, 6, 80,
     "01234501234544444455454444425433344444442445444444444444444344244445444445555555"},
    {"er_ucb_n", "gamma=1 theta=0.5 alpha=20", RISING, 4, 80,
     "01230123000000001111112222333333223121212112312101223323232312133222132203122332"},
    {"er_ucb_n", "gamma=1 theta=0.5 alpha=20 axis=1 scale=none", RISING, 6, 80,
     "01234501234543514422011233534214300523140341235542340152243453142342553413502543"},
    {"rising_bandit", "", RISING, 6, 80,
     "01234501234501234501234501234501234501234501234501234512345234523453453454555555"},
    {"rising_bandit", "variant=published", RISING, 6, 80,
     "01234501234501234501234501234501234501234501234501234512345234523453454545555555"},
    {"rising_bandit", "C=1 scale=none", RISING, 5, 80,
     "01234012340123401234123412341234134344444444444444444444444444444444444444444444"},
    {"rising_bandit", "C=3 variant=published", NOISE, 5, 120,
     "01234012340123401234012340123414144444444444444444444444444444444444444444444444"
     "4444444444444444444444444444444444444444"},
    {"rising_bandit_cost", "", RISING, 6, 80,
     "01234501234501234501234501234501234501234501234501234501234512345145454545454555"},
    {"rising_bandit_cost", "budget=60 C=3", RISING, 6, 80,
     "01234501234501234501234501234512345145455555555555555555555555555555555555555555"},
    {"rising_bandit_cost", "C=2 scale=none", NOISE, 5, 80,
     "01234012340123401234012341414444444444444444444444444444444444444444444444444444"},
    {"heidari", "", NOISE, 5, 80, "01234012343333333333333303333333333333333333333333333333330333333333333333333333"},
    {"heidari", "C=2 cap=2", NOISE, 6, 120,
     "01234501234501234543310022144444444444444444444444444444444444444444444444444444"
     "4444444444444444444444444444444444444444"},
    {"heidari", "C=3 scale=none", RISING, 6, 80,
     "01234501234501234501234555445355535544442555524433415555333334122225555555555555"},
    {"heidari", "C=2 cap=0.7 scale_hi=0.9", RISING, 5, 80,
     "01234012340123444444444444444444444444444444444444444444444444444444444444444444"},
    {"successive_halving", "", NOISE, 5, 80,
     "01234012340123401234012341231231231231231231231232323232323232323232323232322222"},
    {"successive_halving", "eta=3 statistic=max", NOISE, 6, 80,
     "01234501234501234501234501234501234545454545454545454545454545454545454545455555"},
    {"successive_halving", "variant=published", NOISE, 6, 120,
     "01234504524524542424242444444444444444444444444444444444444444444444444444444444"
     "4444444444444444444444444444444444444444"},
    {"successive_halving", "eta=1.5", NOISE, 6, 80,
     "01234501234512451245124512451241241241241242424242424242424242424242424242424242"},
    {"dacopt", "n0=5", NOISE, 5, 80,
     "00000111112222233333444443333333334444444444444444444444444444444444444444444444"},
    {"dacopt", "n0=4 eta=2 share=remaining", NOISE, 6, 120,
     "00001111222233334444555533333333334444444444555555555544444444444444445555555555"
     "5555555555555555555555555555555555555555"},
    {"dacopt", "n0=5 compare=rank eta=2", NOISE, 5, 80,
     "00000111112222233333444442222333344442222222333333322222222222222222222222222222"},
    {"dacopt", "n0=5 compare=mean digits=1", NOISE, 6, 80,
     "00000111112222233333444445555511112222333344441112224444444444444444444444444444"},
    {"dacopt", "n0=100 compare=median", NOISE, 6, 120,
     "00000000000000000000111111111111111111112222222222222222222233333333333333333333"
     "4444444444444444444455555555555555555555"},
    {"dacopt", "n0=2 compare=median eta=1.5 digits=0", RISING, 5, 80,
     "00112233441112223334442222333344444444444444444444444444444444444444444444444444"},
    {"dacopt", "n0=3 compare=friedman", RISING, 5, 80,
     "00011122233344401234012341234234344444444444444444444444444444444444444444444444"},
    {"dacopt", "n0=3 compare=friedman alpha=0.3", NOISE, 6, 120,
     "00011122233344455501234501234501234501234501234501234501234501234501234501234501"
     "2345012345012345124512451245245245245245"},
    {"dacopt", "n0=3 compare=friedman ranks=plain alpha=0.4", RISING, 3, 80,
     "00011122201222222222222222222222222222222222222222222222222222222222222222222222"},
    {"r_sr", "", NOISE, 5, 80, "01234012340123401234012340123401234012340123412341234234234234234242424242424244"},
    {"r_sr", "variant=published", NOISE, 6, 80,
     "54321054321054321543215421542154215425425425425454545454545444444444444444444444"},
    {"r_sr", "epsilon=0.5", RISING, 4, 80,
     "01230123012301230123012301230123012301230123012312312312312323232323232323233333"},
    /* phases of no, one and two rounds */
    {"r_sr", "", NOISE, 5, 12, "012341242222"},
    {"r_sr", "", NOISE, 6, 20, "01234501234524545444"},
    {"r_sr", "", NOISE, 4, 9, "012301222"},
    {"r_sr", "", NOISE, 6, 9, "012345555"},
    {"r_sr", "epsilon=0.5", RISING, 5, 14, "01234012343444"},
    {"r_sr", "", NOISE, 5, 6, "012342"},
    {"r_ucbe", "", NOISE, 5, 120,
     "01234000111222333444432110432004321432102224034134134012300120004403423412312311"
     "0111133334424024220033311314442142220000"},
    {"r_ucbe", "variant=published sigma=0.001 scale=minmax scale_lo=-3 scale_hi=-2", NOISE, 6, 120,
     "01234500011122233344455555554444222222111133330000000444455555555555554444544445"
     "5444422555555555555555555555555555555555"},
    {"r_ucbe", "epsilon=0.5 a=0.5 scale=minmax", RISING, 4, 80,
     "01230123332302133121332233113322332200332233221133223311330022331133223322331133"},
    {"r_ucbe", "epsilon=0.5 sigma=0 variant=published scale=minmax scale_lo=-2 scale_hi=-1", RISING, 4, 80,
     "01230000000000000000000011111111111111111111112222222222222222222222222233333333"},
    {"ucb", "", NOISE, 5, 80, "01234241023230344124130231201341322042130213402122104344210442303122044444322224"},
    {"ucb", "alpha=2", NOISE, 4, 80,
     "01232103210212301320331032312013210213201221330121021230132013212201321302130123"},
    {"ucb", "alpha=0.1 scale=minmax", NOISE, 6, 80,
     "01234552544444144441441220444445213331303401412314035144422221502241143011412222"},
    {"ucb", "alpha=0.1 scale=global_max", RISING, 5, 80,
     "01234444444444444444444444444444444444444444444444444444444444444444444444444444"},
    {"epsilon_greedy", "", NOISE, 5, 80,
     "01234232222222022222222222221222222222233333332222232222222222222222222222222242"},
    {"epsilon_greedy", "epsilon=0.3 statistic=max ties=random", NOISE, 6, 80,
     "01234553555555505555114555155555555553555151555525525552525515535550545555555452"},
    {"softmax", "", NOISE, 5, 80, "01234212422222211222211111222201422442222202122112114222022412142112112411114024"},
    {"softmax", "temperature=0.5 statistic=max scale=minmax", NOISE, 6, 80,
     "01234541455345341035331212144440254344443340423321312542403351325423413451221514"},
    {"exp3", "", NOISE, 5, 80, "04143042113304243201200410201310201433044140201123444320144040423322040042313014"},
    {"exp3", "gamma=0.5 scale=none", NOISE, 6, 80,
     "05244052114405344202211520212421312534154251202222444421245141424422051042323114"},
    {"thompson_gaussian", "", NOISE, 5, 80,
     "01234323212131243211410214042002401332424124033022124310423213142231001112322321"},
    {"thompson_gaussian", "sigma=0.2 scale=minmax", NOISE, 6, 80,
     "01234552544444444541444140144124241414244414441414424440150221004315242141241214"},
    {"thompson_gaussian", "sigma=0.2 per_cost=root", NOISE, 6, 80,
     "01234551154445244541440140440124204414244414454414524140151221004345242151441014"},
    {"thompson_bernoulli", "", NOISE, 5, 80,
     "01234022111202001011114100121012203023301122131220130020010011201114210221141141"},
    {"thompson_bernoulli", "prior_a=0.5 prior_b=0.5 scale=none", NOISE, 6, 80,
     "01234551135311311111111111234433543313431033143114150141141404114113124445441511"},
    {"greedy", "", NOISE, 5, 80, "01234222222222222222222222222222222222222222222222222222222222222222222222222222"},
    {"greedy", "statistic=mean", NOISE, 6, 80,
     "01234555244444444444444444444444444444444444444444222444444542444444444444444444"},
    {"ps_max", "", NOISE, 5, 80, "01234142033323223231303241442242413143212201122022413233344421424422244442210244"},
    {"ps_max", "target=remaining", RISING, 6, 80,
     "01234513015333111532333313333335313355341444142244544425434552342342322325244225"},
    {"ps_max", "update=textbook", GROWING, 6, 80,
     "01234513055344421522435304230341414352444044142214045420434552542052152525555555"},
    {"ps_max", "update=textbook target=remaining", NOISE, 4, 80,
     "01231023330313320031232202113210212213313223321212101211222223122301221121121131"},
    {"ps_max", "per_cost=lognormal", NOISE, 6, 80,
     "01234515342404553434142442554344441510233441224505455525255551555534555555555554"},
    {"ps_max", "per_cost=lognormal budget=30", RISING, 6, 80,
     "01234514444441441430133331331111141113141231113111103311103214131111331111111111"},
    {"ps_max", "per_cost=lognormal target=remaining", NOISE, 6, 80,
     "01234501342444552435342442544344541510233441424505451525255451555535425555555555"},
    {"ps_max", "per_cost=lognormal target=remaining budget=60", GROWING, 6, 80,
     "01234515342404553434142442554344444114233444424404441443202421202244444433444434"},
    {"ps_prior", "curves=300", NOISE, 5, 80,
     "01234422222222222222222222222222222222222222222222222222222222222222222222222222"},
    {"ps_prior", "curves=300 prior=flat rewards=raw likelihood=all", NOISE, 4, 120,
     "01232222322222222222222222222222222222222222222222222222222222222222222222222222"
     "2222222222222222222222222222222222222222"},
    {"ps_prior", "curves=300 prior=curved rewards=raw target=remaining", RISING, 3, 120,
     "01222222222222222222222222222222222222222222222222222222222222222222222222222222"
     "2222222222222222222222222222222222222222"},
    {"ps_prior", "curves=300 prior=tail target=remaining likelihood=all", RISING, 5, 80,
     "01234044444444444444444444444444444444444444444444444444444444444444444444444444"},
    {"ps_prior", "curves=300 prior=tail rewards=raw floor=0.1", GROWING, 4, 120,
     "01232212222222122322222221222222222202222133223221202223302321322232323232322223"
     "1232122222222222222222222222222222222222"},
};

/* The rewards of the reference: arm k has its own LCG. */
static void fill_tape(enum tape tape, size_t arms, uint64_t rounds, double *reward, size_t stride)
{
    const double all = (double)arms;
    for (size_t k = 0; k < arms; k++) {
        uint64_t x = 1000 * arms + k;
        const double place = (double)(k + 1), level = (double)(7 * k % arms);
        for (uint64_t n = 1; n <= rounds; n++) {
            x = x * 6364136223846793005ULL + 1442695040888963407ULL;
            double u = (double)(x >> 40) / 16777216.0;
            double noise = 0.45 + 0.1 * level / all + 0.8 * (place + 1) / (all + 1) * (u - 0.5);
            reward[k * stride + n - 1] = tape == NOISE     ? noise
                                         : tape == GROWING ? noise + 0.003 * (double)n
                                                           : place / all * (1 - place / (place + (double)n)) + 0.05 * u;
        }
    }
}

/* Rounds played as in the reference before the first difference. */
static uint64_t rounds_alike(struct drive *d, const struct trace *c)
{
    double reward[ARMS * ROUNDS];
    size_t n[ARMS] = {0};
    fill_tape(c->tape, c->arms, c->rounds, reward, ROUNDS);
    memcpy(d->cost, cost, c->arms * sizeof *cost);
    drive_start(d, 42);
    for (uint64_t t = 1; t <= c->rounds; t++) {
        size_t arm = drive_select(d, t);
        if (arm >= c->arms || arm != (size_t)(c->want[t - 1] - '0')) return t - 1;
        d->type->update(d->state, arm, reward[arm * ROUNDS + n[arm]++], t);
    }
    return c->rounds;
}

static void check_trace(const struct trace *c)
{
    struct drive d;
    int open = drive_open(&d, c->policy, c->options, c->arms, c->rounds) == 0;
    uint64_t alike = open ? rounds_alike(&d, c) : 0;
    CHECK(alike == c->rounds, "%s {%s}: %llu of %llu rounds as in the reference", c->policy, c->options,
          (unsigned long long)alike, (unsigned long long)c->rounds);
    if (open) drive_close(&d);
}

/* Past 256 pulls of an arm er_ucb_n keeps its residuals by expansion, and follows a range that grows by another. The
 * reference, which computes all of them in every round: run(er_ucb_n, options, tape, 2, 900) of
 * tests/reference/cash_policies.py, the pulls of arm 0 and the changes of the arm from one round to the next. */
static const struct {
    const char *options;
    enum tape tape;
    size_t pulls, changes;
} lasting[] = {
    {"gamma=0.2 theta=1", NOISE, 391, 218},
    {"gamma=0.2 theta=1 scale_lo=-0.5 scale_hi=0.5", RISING, 230, 439},
    {"gamma=0.2 theta=1 axis=0.5 scale=global_max", GROWING, 368, 555},
    {"gamma=0.2 theta=1 axis=0.5 scale=global_max scale_lo=0.2 scale_hi=0.8", GROWING, 368, 555}, /* of minmax alone */
};

static void check_long(size_t i)
{
    enum { LONG = 900 };
    double reward[2 * LONG];
    struct drive d;
    size_t n[2] = {0}, changes = 0, before = 0;
    int open = drive_open(&d, "er_ucb_n", lasting[i].options, 2, LONG) == 0;
    if (open) {
        fill_tape(lasting[i].tape, 2, LONG, reward, LONG);
        drive_start(&d, 42);
        for (uint64_t t = 1; t <= LONG; t++) {
            size_t arm = drive_select(&d, t);
            changes += t > 1 && arm != before;
            before = arm;
            d.type->update(d.state, arm, reward[arm * LONG + n[arm]++], t);
        }
        drive_close(&d);
    }
    CHECK(open && n[0] == lasting[i].pulls && changes == lasting[i].changes,
          "er_ucb_n {%s} past 256 pulls: arm 0 pulled %zu times with %zu changes, the reference %zu with %zu",
          lasting[i].options, n[0], changes, lasting[i].pulls, lasting[i].changes);
}

int main(void)
{
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) check_trace(&traces[i]);
    for (size_t i = 0; i < sizeof lasting / sizeof *lasting; i++) check_long(i);
    return CHECK_EXIT;
}
