/* Known answers: tails, density and quantiles computed with mpmath 1.2 at 40 digits from the textbook formulas
 * (erfc, betainc, gammainc, exp, powers), quantiles by bisection; nothing of this program took part.
 * Parameters and arguments are the double numbers nearest to what is written. */
#include <gsl/gsl_errno.h>

#include "distributions/parts/tools.h"
#include "tests/support/check.h"
#include "tests/support/dist_cases.h"

static const struct {
    const char *family;
    double v[4], x, survival, cdf, density;
} tails[] = {
    {"power", {3, 1.01, NAN, NAN}, 0.01, 0.99999890631472732, 1.0936852726843611e-6, 0.00032810558180530831},
    {"power", {3, 1.01, NAN, NAN}, 0.5, 0.86328934091445488, 0.13671065908554512, 0.82026395451327074},
    {"power", {3, 1.01, NAN, NAN}, 0.97, 0.0018229811233462867, 0.99817701887665371, 3.0871454192061456},
    {"power", {0.1, 2, NAN, NAN}, 1e-30, 0.99899304444994328, 0.0010069555500567184, 1.0069555500567184e+26},
    {"power", {0.1, 2, NAN, NAN}, 0.5, 0.060477250785988226, 0.93952274921401177, 0.18790454984280237},
    {"power", {0.1, 2, NAN, NAN}, 0.93, 0.00032554447677778037, 0.99967445552322222, 0.10749187693798088},
    {"truncated_gaussian", {0.5, 0.2, 0, 1}, 1e-12, 0.99999999999991126, 8.8743639065162737e-14, 0.088743639065717387},
    {"truncated_gaussian", {0.5, 0.2, 0, 1}, 0.5, 0.5, 0.5, 2.0197959153282799},
    {"truncated_gaussian", {0.5, 0.2, 0, 1}, 0.999999, 8.874419371684543e-8, 0.99999991125580628, 0.088744748365920247},
    {"truncated_gaussian",
     {0, 1, 30, INFINITY},
     30.0001,
     0.99700117452559579,
     0.0029988254744042145,
     29.943294753335248},
    {"truncated_gaussian", {0, 1, 30, INFINITY}, 30.1, 0.049374535665946765, 0.95062546433405324, 1.4878102723472952},
    {"truncated_gaussian", {0, 1, 30, INFINITY}, 33, 8.2767931475398682e-42, 1.0, 2.7338452725510281e-40},
    {"truncated_gaussian",
     {0, 1, 1000, 1001},
     1000.0009765625,
     0.37660290335686676,
     0.62339709664313324,
     376.60364773492195},
    {"truncated_gaussian", {0, 1, 1000, 1001}, 1000.25, 2.5864212620192191e-109, 1.0, 2.5870704531043733e-106},
    {"truncated_gaussian", {0, 1, 1000, 1001}, 1000.5, 6.2842744802190343e-218, 1.0, 6.2874228985805074e-215},
    {"truncated_gaussian", {0, 1, 1, 1.0001}, 1.00001, 0.89999549977433092, 0.10000450022566908, 10000.400020001271},
    {"truncated_gaussian", {0, 1, 1, 1.0001}, 1.00005, 0.49998749937389499, 0.50001250062610501, 10000.000000000684},
    {"truncated_gaussian", {0, 1, 1, 1.0001}, 1.00009, 0.099995499775675183, 0.90000450022432482, 9999.5999800016987},
    {"truncated_gaussian",
     {2, 3, -INFINITY, -118},
     -118.0625,
     0.5657219997851348,
     0.4342780002148652,
     5.7970017524402499},
    {"truncated_gaussian",
     {2, 3, -INFINITY, -118},
     -119,
     0.99999848057325479,
     1.5194267452068104e-6,
     2.0440390318217608e-5},
    {"truncated_gaussian", {2, 3, -INFINITY, -118}, -130, 1.0, 9.9353078762405221e-74, 1.4579303877982481e-72},
    {"gaussian", {0, 1, NAN, NAN}, -20, 1.0, 2.7536241186062337e-89, 5.5209483621597632e-88},
    {"gaussian", {0, 1, NAN, NAN}, 1.5, 0.066807201268858066, 0.93319279873114193, 0.12951759566589173},
    {"gaussian", {0, 1, NAN, NAN}, 37, 5.7255712225245768e-300, 1.0, 2.1200065515246056e-298},
    {"gaussian", {1, 3.35, NAN, NAN}, -5, 0.96335694502652707, 0.03664305497347293, 0.023949218788918981},
    {"gaussian", {1, 3.35, NAN, NAN}, 1.5, 0.44067671164033983, 0.55932328835966017, 0.11776817362841466},
    {"gaussian", {1, 3.35, NAN, NAN}, 20, 7.0717734920339347e-9, 0.99999999292822651, 1.2324715727316229e-8},
    {"pareto", {1.1, 1, NAN, NAN}, 1.0009765625, 0.99892688163341347, 0.0010731183665865319, 1.0977475507042703},
    {"pareto", {1.1, 1, NAN, NAN}, 3, 0.2986528199469207, 0.7013471800530793, 0.1095060339805376},
    {"pareto", {1.1, 1, NAN, NAN}, 1e100, 9.9999999999997953e-111, 1.0, 1.0999999999999776e-210},
    {"exponential", {NAN, 2.9, NAN, NAN}, 1e-10, 0.99999999996551724, 3.4482758620095127e-11, 0.34482758619500596},
    {"exponential", {NAN, 2.9, NAN, NAN}, 3, 0.35541016623477464, 0.64458983376522536, 0.12255522973612919},
    {"exponential", {NAN, 2.9, NAN, NAN}, 1000, 1.7509836963513162e-150, 1.0, 6.037874815004539e-151},
    {"negative_exponential", {NAN, 0.5, NAN, NAN}, -1e-10, 1.9999999998000001e-10, 0.9999999998, 1.9999999996},
    {"negative_exponential",
     {NAN, 0.5, NAN, NAN},
     -3,
     0.99752124782333364,
     0.0024787521766663584,
     0.0049575043533327168},
    {"negative_exponential", {NAN, 0.5, NAN, NAN}, -300, 1.0, 2.6503965530043108e-261, 5.3007931060086216e-261},
    {"uniform", {-3, 5, NAN, NAN}, -2, 0.875, 0.125, 0.125},
    {"uniform", {-3, 5, NAN, NAN}, 0, 0.625, 0.375, 0.125},
    {"uniform", {-3, 5, NAN, NAN}, 4.5, 0.0625, 0.9375, 0.125},
    {"beta", {2, 3, NAN, NAN}, 1e-10, 1.0, 5.9999999992000004e-20, 1.19999999976e-9},
    {"beta", {2, 3, NAN, NAN}, 0.25, 0.73828125, 0.26171875, 1.6875},
    {"beta", {2, 3, NAN, NAN}, 0.9375, 0.0009307861328125, 0.9990692138671875, 0.0439453125},
    {"beta", {0.05, 4, NAN, NAN}, 1e-100, 0.999989058125, 1.0941874999999993e-5, 5.4709374999999967e+93},
    {"beta", {0.05, 4, NAN, NAN}, 1e-3, 0.22548517615739207, 0.77451482384260793, 38.615193738431244},
    {"beta", {0.05, 4, NAN, NAN}, 0.875, 3.6924432371609827e-6, 0.99999630755676284, 0.00012130651945886538},
    {"beta", {30, 0.2, NAN, NAN}, 0.25, 1.0, 1.5478058675249349e-20, 1.8731865876482264e-18},
    {"beta", {30, 0.2, NAN, NAN}, 0.9375, 0.98539983560183721, 0.014600164398162789, 0.60650278638657042},
    {"beta", {30, 0.2, NAN, NAN}, 0.9990234375, 0.53363011759638158, 0.46636988240361842, 106.73439657279198},
    {"lognormal", {1, 4, NAN, NAN}, 1e-20, 1.0, 3.0298799044746148e-32, 8.973558729732193e-12},
    {"lognormal", {1, 4, NAN, NAN}, 3, 0.49016584333827554, 0.50983415666172446, 0.033235088787829308},
    {"lognormal", {1, 4, NAN, NAN}, 1e40, 3.9790178515597908e-115, 1.0, 2.26998884086303e-154},
    {"generalized_normal", {0.2, 0, 1, NAN}, -1e6, 0.99977520533281807, 0.00022479466718193324, 5.4536225829729243e-10},
    {"generalized_normal", {0.2, 0, 1, NAN}, 0.001, 0.49999661813528144, 0.50000338186471856, 0.0032411484033743556},
    {"generalized_normal", {0.2, 0, 1, NAN}, 1e9, 1.395060979414018e-22, 1.0, 1.6506669501618489e-30},
    {"generalized_normal", {1.6, -2, 0.5, NAN}, -5, 0.99999999730001739, 2.6999826140414687e-9, 2.5829149021274632e-8},
    {"generalized_normal", {1.6, -2, 0.5, NAN}, -1.75, 0.25319653285260886, 0.74680346714739114, 0.80195495066299991},
    {"generalized_normal", {1.6, -2, 0.5, NAN}, 10, 3.5306164836038182e-72, 1.0, 7.6230365834375042e-71},
    {"skew_normal", {0, 0, 1, NAN}, 3, 0.0013498980316300945, 0.99865010196836991, 0.0044318484119380072},
    {"skew_normal", {3, 1, 2, NAN}, -0.5, 0.99921997349148991, 7.800265085100867e-4, 0.003681246304786786},
    {"skew_normal", {3, 1, 2, NAN}, 2, 0.61070562487802372, 0.38929437512197628, 0.32854482761937064},
    {"skew_normal", {-20, 0.625, 0.25, NAN}, 0.25, 0.86638559746228387, 0.13361440253771613, 1.0361407653271338},
    {"skew_normal", {-20, 0.625, 0.25, NAN}, 0.65625, 7.9166640438570705e-5, 0.99992083335956143, 0.019664156474049917},
    {"skew_normal", {-20, 0.625, 0.25, NAN}, 0.875, 3.3068027820050209e-92, 1.0, 5.3303713842603031e-89},
    {"skew_normal", {1e6, 0, 1, NAN}, 1e-6, 0.99999913563931154, 8.6436068846059707e-7, 0.67129598320036202},
    {"skew_normal", {1e6, 0, 1, NAN}, 2, 0.045500263896358414, 0.95449973610364159, 0.1079819330263761},
    {"skew_normal",
     {-100, 1, 0.0078125, NAN},
     1.0001220703125,
     2.0243569142583799e-4,
     0.99979756430857416,
     6.0335811761275121},
    {"weibull", {0.3, 1, NAN, NAN}, 1e-30, 0.999999999, 9.9999999950000079e-10, 2.999999997000002e+20},
    {"weibull", {0.3, 1, NAN, NAN}, 1, 0.36787944117144232, 0.63212055882855768, 0.11036383235143269},
    {"weibull", {0.3, 1, NAN, NAN}, 1e5, 1.8467266624097006e-14, 0.99999999999998153, 1.7519587406926523e-18},
    {"weibull", {12, 2, NAN, NAN}, 0.125, 0.99999999999999645, 3.5527136788004946e-15, 3.4106051316484688e-13},
    {"weibull", {12, 2, NAN, NAN}, 2, 0.36787944117144232, 0.63212055882855768, 2.2072766470286539},
    {"weibull", {12, 2, NAN, NAN}, 3, 4.486228674912198e-57, 1.0, 2.3282869660390756e-54},
    {"gev", {0, 0, 1, NAN}, -3, 0.99999999810782131, 1.8921786948382926e-9, 3.8005425040443577e-8},
    {"gev", {0, 0, 1, NAN}, 1, 0.30779937244465365, 0.69220062755534635, 0.2546463800435825},
    {"gev", {0, 0, 1, NAN}, 100, 3.720075976020836e-44, 1.0, 3.720075976020836e-44},
    {"gev", {0.3, 1, 2, NAN}, -4, 1.0, 7.5584176200602634e-45, 1.535774730406225e-42},
    {"gev", {0.3, 1, 2, NAN}, 1, 0.63212055882855768, 0.36787944117144232, 0.18393972058572116},
    {"gev", {0.3, 1, 2, NAN}, 1e30, 5.5765098007764192e-98, 1.0, 1.8588366002588064e-127},
    {"gev", {-0.4, 1, 2, NAN}, -10, 0.99999998891717109, 1.1082828907226832e-8, 3.1720907289035398e-8},
    {"gev", {-0.4, 1, 2, NAN}, 1, 0.63212055882855768, 0.36787944117144232, 0.18393972058572116},
    {"gev", {-0.4, 1, 2, NAN}, 5.9375, 1.7469128487214831e-5, 0.99998253087151279, 0.00069875903604405352},
    {"generalized_pareto", {0, 0, 1, NAN}, 1e-3, 0.99900049983337499, 0.00099950016662500835, 0.99900049983337499},
    {"generalized_pareto", {0, 0, 1, NAN}, 1, 0.36787944117144232, 0.63212055882855768, 0.36787944117144232},
    {"generalized_pareto", {0, 0, 1, NAN}, 500, 7.1245764067412855e-218, 1.0, 7.1245764067412855e-218},
    {"generalized_pareto",
     {0.25, 1, 2, NAN},
     1.0009765625,
     0.99951186772523992,
     0.00048813227476007955,
     0.49969493594563441},
    {"generalized_pareto", {0.25, 1, 2, NAN}, 4, 0.27976231131753296, 0.72023768868246704, 0.10173174957001198},
    {"generalized_pareto", {0.25, 1, 2, NAN}, 1e50, 4.0959999999999987e-197, 1.0, 1.6383999999999994e-246},
    {"generalized_pareto",
     {-0.5, 1, 2, NAN},
     1.0009765625,
     0.99951177835464478,
     0.00048822164535522461,
     0.4998779296875},
    {"generalized_pareto", {-0.5, 1, 2, NAN}, 4, 0.0625, 0.9375, 0.125},
    {"generalized_pareto",
     {-0.5, 1, 2, NAN},
     4.9990234375,
     5.9604644775390625e-8,
     0.99999994039535522,
     0.0001220703125},
    {"mixture", {1, NAN, NAN, NAN}, -20, 1.0, 2.3306346755859731e-123, 5.3705549944655966e-122},
    {"mixture", {1, NAN, NAN, NAN}, 0, 3.2669859265229026e-5, 0.99996733014073477, 0.00026766461571356693},
    {"mixture", {1, NAN, NAN, NAN}, 12, 1.1285872773665632e-25, 1.0, 1.0279763291905622e-24},
    {"mixture", {4, NAN, NAN, NAN}, 1e-10, 0.99999999995, 4.9999999998750002e-11, 0.499999999975},
    {"mixture", {4, NAN, NAN, NAN}, 3, 0.22313016014842983, 0.77686983985157017, 0.11156508007421491},
    {"mixture", {4, NAN, NAN, NAN}, 1000, 7.1245764067412855e-218, 1.0, 3.5622882033706428e-218},
};

/* The x with G(x) = 1e-300, 1e-20, 0.001, 0.5 and those with F(x) = 0.001, 1e-20. */
static const struct {
    const char *family;
    double v[4], x[6];
} quantiles[] = {
    {"power",
     {3, 1.01, NAN, NAN},
     {0.97059014792764442, 0.97059014792764442, 0.97026650997503249, 0.77035791092515655, 0.097059014792764443,
      2.0910730844984947e-7}},
    {"power",
     {0.1, 2, NAN, NAN},
     {0.93303299153680741, 0.93303299153680741, 0.92374453633780151, 0.00091116503079766384, 9.3303299153681118e-31,
      9.3303299153683075e-201}},
    {"truncated_gaussian",
     {0.5, 0.2, 0, 1},
     {1.0, 1.0, 0.9894530202123073, 0.5, 0.010546979787692696, 1.1268413269281974e-19}},
    {"truncated_gaussian",
     {0, 1, 30, INFINITY},
     {47.755864424165965, 31.496131096908409, 30.229130430951398, 30.023070467827311, 30.000033313059934, 30.0}},
    {"truncated_gaussian",
     {0, 1, 1000, 1001},
     {1000.6905364173297, 1000.0460505954818, 1000.006907724513, 1000.0006931462472, 1000.0000010004993, 1000.0}},
    {"truncated_gaussian",
     {0, 1, 1, 1.0001},
     {1.0001, 1.0001, 1.0000998999950045, 1.0000499987499375, 1.000000099995005, 1.0}},
    {"truncated_gaussian",
     {2, 3, -INFINITY, -118},
     {-118.0, -118.0, -118.00007499069082, -118.05194238029395, -118.51664764743723, -121.4035162468755}},
    {"gaussian",
     {0, 1, NAN, NAN},
     {37.047096299361199, 9.2623400897984076, 3.0902323061678135, 0, -3.0902323061678135, -9.2623400897984076}},
    {"gaussian",
     {1, 3.35, NAN, NAN},
     {125.10777260286002, 32.028839300824666, 11.352278225662176, 1.0, -9.3522782256621756, -30.028839300824666}},
    {"pareto",
     {1.1, 1, NAN, NAN},
     {5.3366992312060389e+272, 1.5199110829529287e+18, 533.66992312063069, 1.8778618213234126, 1.0009099595199817,
      1.0}},
    {"exponential",
     {NAN, 2.9, NAN, NAN},
     {2003.2490309048197, 133.54993539365465, 20.032490309048197, 2.0101268236238413, 0.0029014509673922471,
      2.8999999999999998e-20}},
    {"negative_exponential",
     {NAN, 0.5, NAN, NAN},
     {-5.0000000000000001e-301, -4.9999999999999997e-21, -0.00050025016679176676, -0.34657359027997265,
      -3.4538776394910685, -23.025850929940457}},
    {"uniform", {-3, 5, NAN, NAN}, {5.0, 5.0, 4.992, 1.0, -2.992, -3.0}},
    {"beta",
     {2, 3, NAN, NAN},
     {1.0, 0.99999986427911457, 0.93596186089716663, 0.38572756813238955, 0.013022947370814272,
      4.0824829047497412e-11}},
    {"beta",
     {0.05, 4, NAN, NAN},
     {1.0, 0.99997075866834558, 0.53572340062108037, 1.5760329771971287e-7, 1.6525896109442885e-61, 0}},
    {"beta",
     {1, 60, NAN, NAN},
     {0.99999, 0.53584111663872211118, 0.10874906186625446974, 0.011485979647103864643, 0.00001667486653259311072,
      1.6666666666666665753e-22}},
    {"beta",
     {30, 0.2, NAN, NAN},
     {1.0, 1.0, 0.99999999999999998, 0.99929938824981815, 0.87061802794205847, 0.24641607270002353}},
    {"lognormal",
     {1, 4, NAN, NAN},
     {6.1900257450643291e+64, 3.3467806081935969e+16, 634713.64580107442, 2.7182818284590452, 1.1641558595459052e-5,
      2.2078101208190175e-16}},
    {"generalized_normal",
     {0.2, 0, 1, NAN},
     {184511297945421.65, 686782387.19845147, 511617.25668411827, 0, -511617.25668411827, -686782387.19845147}},
    {"generalized_normal",
     {1.6, -2, 0.5, NAN},
     {27.660270551261406, 3.2903773234166426, -0.60282536036417568, -2.0, -3.3971746396358243, -7.2903773234166426}},
    {"weibull",
     {0.3, 1, NAN, NAN},
     {2913778121.8042129, 350067.89347349514, 627.754466467094, 0.29472583275601604, 1.0016687523481929e-10,
      2.1544346900318711e-67}},
    {"weibull",
     {12, 2, NAN, NAN},
     {3.4485887540236029, 2.7519073152713579, 2.3494961675587572, 1.9398379471283424, 1.1247295326723763,
      0.043088693800637674}},
    {"gev",
     {0, 0, 1, NAN},
     {690.77552789821371, 46.051701859880914, 6.9072550705237165, 0.36651292058166433, -1.9326447339160655,
      -3.8297647188019468}},
    {"gev",
     {0.3, 1, 2, NAN},
     {6.6666666666666157e+90, 6666660.9999999969, 47.280602983796546, 1.7748438975420665, -1.9332397185346484,
      -3.5534937515100458}},
    {"gev",
     {-0.4, 1, 2, NAN},
     {5.9999999999999997, 5.9999999499999997, 5.684458199404524, 1.6818254969881258, -4.8319034854751204,
      -17.134934703773668}},
    {"generalized_pareto",
     {0, 0, 1, NAN},
     {690.77552789821371, 46.051701859880914, 6.907755278982137, 0.69314718055994531, 0.0010005003335835335,
      9.9999999999999995e-21}},
    {"generalized_pareto",
     {0.25, 1, 2, NAN},
     {7.9999999999999999e+75, 799993.00000000001, 37.987306015227926, 2.5136569200217685, 1.0020012509382624, 1.0}},
    {"generalized_pareto",
     {-0.5, 1, 2, NAN},
     {5.0, 4.9999999996, 4.8735088935932648, 2.1715728752538099, 1.0020005002501564, 1.0}},
    {"mixture",
     {1, NAN, NAN, NAN},
     {39.672559410168829, 10.650627964354517, -0.4547354721216741, -1.9999993733432906, -3.5451160045878035,
      -6.6311699931015441}},
    {"mixture",
     {4, NAN, NAN, NAN},
     {1381.5510557964274, 92.103403719761827, 13.815510557964274, 1.3862943611198906, 0.002001000667167067,
      1.9999999999999999e-20}},
};

static struct mk_dist *make(const char *family, const double *v)
{
    return strcmp(family, "mixture") == 0 ? dist_mixture((int)v[0]) : dist_simple(family, v[0], v[1], v[2], v[3]);
}

static double off(double got, double want)
{
    return got == want ? 0 : fabs(got - want) / fmax(fabs(want), 1e-307);
}

/* 5e-13: erfc, incomplete beta and gamma functions amplify the rounding of their arguments in far tails. */
static void check_tails(void)
{
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        struct mk_dist *d = make(tails[i].family, tails[i].v);
        double x = tails[i].x, worst = off(mk_dist_survival(d, x), tails[i].survival);
        worst = fmax(worst, off(mk_dist_cdf(d, x), tails[i].cdf));
        worst = fmax(worst, off(d->type->density(d, x), tails[i].density));
        char name[160];
        CHECK(worst < 5e-13, "%s: G, F and density at %g (worst %.1e)", dist_case_name(d, name, sizeof name), x, worst);
        mk_dist_free(d);
    }
}

static void check_quantiles(void)
{
    static const double p[] = {1e-300, 1e-20, 1e-3, 0.5, 1e-3, 1e-20};
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
        struct mk_dist *d = make(quantiles[i].family, quantiles[i].v);
        double worst = 0, at = 0, median = quantiles[i].x[3];
        for (int k = 0; k < 6; k++) {
            double x = k < 4 ? d->type->inverse(d, p[k], 1 - p[k]) : d->type->inverse(d, 1 - p[k], p[k]);
            /* relative to the value; near 0 to the distance between the quartile-like points of the table */
            double want = quantiles[i].x[k],
                   near_zero = fabs(want) < 1e-3 * fabs(quantiles[i].x[2] - quantiles[i].x[4]);
            double error = near_zero && k == 3 && want == 0 ? fabs(x - want) / fabs(quantiles[i].x[2]) : off(x, want);
            if (error > worst) worst = error, at = p[k];
        }
        char name[160];
        CHECK(worst < 2e-13, "%s: quantiles (worst %.1e at %g, median %g)", dist_case_name(d, name, sizeof name), worst,
              at, median);
        mk_dist_free(d);
    }
}

/* Where P(X > 1/2) is 0, or rounds to it, the quantile of no probability is the end all the same. */
static void check_beta_end(void)
{
    struct mk_dist *d = dist_simple("beta", 1, 2000, NAN, NAN);
    CHECK(d->type->inverse(d, 0, 1) == 1, "beta: the upper end %.17g", d->type->inverse(d, 0, 1));
    mk_dist_free(d);
}

/* Cutting or clipping one end makes that tail light and leaves the other. */
static void check_cut_exponents(void)
{
    static const char *const wrapper[] = {"truncated", "clipped"};
    for (int w = 0; w < 2; w++)
        for (int ends = 0; ends < 4; ends++) { /* Pareto with the exponent 1.5 on both sides */
            struct mk_error err = {0, ""};
            struct mk_dist *part[2] = {dist_simple("pareto", 1.5, 1, NAN, NAN),
                                       dist_simple("pareto", 1.5, 1, NAN, NAN)};
            double upper, lower;
            int code = mk_dist_wrap(&part[1], "affine", 0, -1, NULL, &err);
            struct mk_dist *d = dist_lists("mixture", 2, (double[]){.5, .5}, 2, part);
            if (!code)
                code = mk_dist_wrap(&d, wrapper[w], ends & 1 ? -9 : -INFINITY, ends & 2 ? 9 : INFINITY, NULL, &err);
            CHECK(!code, "a %s mixture %s", wrapper[w], err.text);
            mk_dist_tails(d, &upper, &lower);
            CHECK(lower == (ends & 1 ? INFINITY : 1.5) && upper == (ends & 2 ? INFINITY : 1.5),
                  "%s, %s: tail exponents %g and %g", wrapper[w],
                  ends == 0   ? "no end"
                  : ends == 1 ? "below"
                  : ends == 2 ? "above"
                              : "on both sides",
                  lower, upper);
            mk_dist_free(d);
        }
}

/* The density at the ends of a clipped interval is that inside, next to the point masses. */
static void check_clipped_ends(void)
{
    struct mk_error err = {0, ""};
    struct mk_dist *d = dist_simple("uniform", 0, 2, NAN, NAN);
    CHECK(mk_dist_wrap(&d, "clipped", 0.5, 1.5, NULL, &err) == MK_OK, "clipped %s", err.text);
    CHECK(d->type->density(d, 0.5) == 0.5 && d->type->density(d, 1.5) == 0.5 && d->type->density(d, 0.499) == 0 &&
              d->type->density(d, 1.501) == 0,
          "a clipped uniform arm");
    mk_dist_free(d);
}

/* 1 - e^-x cut off at 10: G(x) = (e^-x - e^-10) / (1 - e^-10) near 10 has the errors of two numbers near e^-10, up to
 * 5e-13 e^-10 each, which the slope e^-10 turns into a distance of 1e-12. */
static void check_resolution(void)
{
    struct mk_error err = {0, ""};
    struct mk_dist *d = dist_simple("exponential", NAN, 1, NAN, NAN);
    CHECK(mk_dist_wrap(&d, "truncated", 0, 10, NULL, &err) == MK_OK, "truncated %s", err.text);
    CHECK_CLOSE(mk_dist_resolution(d), 1e-12, 1e-9, "resolution of a truncated exponential");
    mk_dist_free(d);
    d = dist_simple("uniform", 3, 4, NAN, NAN);
    CHECK(mk_dist_wrap(&d, "affine", 5, 2, NULL, &err) == MK_OK, "affine %s", err.text);
    CHECK_CLOSE(mk_dist_resolution(d), 13 * 0x1p-52, 1e-9, "resolution of 5 + 2 x, x up to 4");
    mk_dist_free(d);
    d = dist_simple("gaussian", 0, 1, NAN, NAN);
    CHECK(mk_dist_wrap(&d, "affine", 5, 2, NULL, &err) == MK_OK, "affine %s", err.text);
    CHECK_CLOSE(mk_dist_resolution(d), 5 * 0x1p-52, 1e-9, "of 5 + 2 x, x without ends");
    mk_dist_free(d);
}

/* With the resolution of the arm, F at x, which is `cdf` = 1 - `above`, is bounded from either side up to a relative
 * error of 5e-13 in the smaller of F and 1 - F. */
static void check_bounded(const struct mk_dist *d, double x, double cdf, double above, const char *what)
{
    const double shift = mk_dist_resolution(d), most = 1 + 5e-13, least = 1 - 5e-13;
    const bool lower = cdf < above;
    CHECK(lower ? mk_dist_cdf(d, x + shift) * most >= cdf && mk_dist_cdf(d, x - shift) * least <= cdf
                : mk_dist_survival(d, x - shift) * most >= above && mk_dist_survival(d, x + shift) * least <= above,
          "%s: bounds at %.17g", what, x);
}

/* F(x) = (x s^a)^a of 1.1^-400 and others, by mpmath with 50 digits, at points near the end point, which a double
 * rounds. */
static void check_power_end(void)
{
    char what[100];
    static const struct {
        double a, s, x, cdf, above;
    } known[] = {
        {400.0, 1.1, 0x1.ff8001a20c759p-56, 0.9999999999999647, 3.529274208500247e-14},
        {400.0, 1.1, 0x1.ff8001a20c758p-56, 0.9999999999999203, 7.974507138446416e-14},
        {400.0, 1.1, 0x1.ff8001a20c757p-56, 0.9999999999998758, 1.2419740068392388e-13},
        {400.0, 1.1, 0x1.ff8001a20c755p-56, 0.999999999999787, 2.131020592828374e-13},
        {400.0, 1.1, 0x1.ff8001a20c749p-56, 0.9999999999992535, 7.465300108761529e-13},
        {400.0, 1.1, 0x1.ff8001a20c6f6p-56, 0.9999999999955639, 4.436073342722148e-12},
        {400.0, 1.1, 0x1.ff8001a20a04ap-56, 0.9999999995554859, 4.445141333088785e-10},
        {400.0, 1.1, 0x1.ff800142ae65ap-56, 0.9999955547769346, 4.445223065453626e-06},
        {5.0, 1.1, 0x1.3de9664fdb32ap-1, 0.9999999999999991, 8.585001396645778e-16},
        {5.0, 1.1, 0x1.3de9664fdb329p-1, 0.9999999999999982, 1.7525127813591078e-15},
        {5.0, 1.1, 0x1.3de9664fdb328p-1, 0.9999999999999973, 2.646525423053637e-15},
        {5.0, 1.1, 0x1.3de9664fdb326p-1, 0.9999999999999956, 4.434550706442693e-15},
        {5.0, 1.1, 0x1.3de9664fdb31ap-1, 0.9999999999999848, 1.516270240677698e-14},
        {5.0, 1.1, 0x1.3de9664fdb2c7p-1, 0.9999999999999106, 8.936575166741994e-14},
        {5.0, 1.1, 0x1.3de9664fd8c1bp-1, 0.9999999999910599, 8.940090904411308e-12},
        {5.0, 1.1, 0x1.3de965f07d22bp-1, 0.999999910598739, 8.940126093690622e-08},
        {100.0, 0.99, 0x1.5db224e39bb6cp+1, 0.9999999999999805, 1.9527033160181884e-14},
        {100.0, 0.99, 0x1.5db224e39bb6bp+1, 0.9999999999999643, 3.578213448174112e-14},
        {100.0, 0.99, 0x1.5db224e39bb6ap+1, 0.9999999999999479, 5.203723580330009e-14},
        {100.0, 0.99, 0x1.5db224e39bb68p+1, 0.9999999999999154, 8.454743844641725e-14},
        {100.0, 0.99, 0x1.5db224e39bb5cp+1, 0.9999999999997204, 2.796086543050983e-13},
        {100.0, 0.99, 0x1.5db224e39bb09p+1, 0.9999999999983712, 1.6287820639932773e-12},
        {100.0, 0.99, 0x1.5db224e39945dp+1, 0.9999999998374457, 1.625542851343556e-10},
        {100.0, 0.99, 0x1.5db224843da6dp+1, 0.9999983744911725, 1.6255088274984102e-06},
        {30.0, 1.37, 0x1.4bed5f5ba665dp-14, 0.9999999999999946, 5.426771975079278e-15},
        {30.0, 1.37, 0x1.4bed5f5ba665cp-14, 0.9999999999999895, 1.0564351478481752e-14},
        {30.0, 1.37, 0x1.4bed5f5ba665bp-14, 0.9999999999999843, 1.57019309818842e-14},
        {30.0, 1.37, 0x1.4bed5f5ba6659p-14, 0.999999999999974, 2.5977089988689016e-14},
        {30.0, 1.37, 0x1.4bed5f5ba664dp-14, 0.9999999999999124, 8.762804402951578e-14},
        {30.0, 1.37, 0x1.4bed5f5ba65fap-14, 0.999999999999486, 5.140471428118004e-13},
        {30.0, 1.37, 0x1.4bed5f5ba3f4ep-14, 0.9999999999486239, 5.137608422522104e-11},
        {30.0, 1.37, 0x1.4bed5efc4855ep-14, 0.9999994862421769, 5.137578230549688e-07},
        {3.0, 1.01, 0x1.f0f1311e568bbp-1, 0.9999999999999997, 3.4354160770258955e-16},
        {3.0, 1.01, 0x1.f0f1311e568bap-1, 0.9999999999999993, 6.867007754508864e-16},
        {3.0, 1.01, 0x1.f0f1311e568b9p-1, 0.999999999999999, 1.0298599431991833e-15},
        {3.0, 1.01, 0x1.f0f1311e568b7p-1, 0.9999999999999983, 1.7161782786957768e-15},
        {3.0, 1.01, 0x1.f0f1311e568abp-1, 0.9999999999999941, 5.834088291675331e-15},
        {3.0, 1.01, 0x1.f0f1311e56858p-1, 0.9999999999999657, 3.4316299214783603e-14},
        {3.0, 1.01, 0x1.f0f1311e541acp-1, 0.9999999999965684, 3.4315920599189993e-12},
        {3.0, 1.01, 0x1.f0f130bef87bcp-1, 0.9999999656840837, 3.431591638268476e-08},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct mk_dist *d = dist_simple("power", known[i].a, known[i].s, NAN, NAN);
        snprintf(what, sizeof what, "power a = %g, s = %g", known[i].a, known[i].s);
        check_bounded(d, known[i].x, known[i].cdf, known[i].above, what);
        mk_dist_free(d);
    }
    struct mk_dist *exact = dist_simple("power", 7, 1, NAN, NAN);
    CHECK(mk_dist_resolution(exact) == 0, "the end point 1 is exact");
    mk_dist_free(exact);
}

struct inside {
    double lo, hi, root;
    int beyond;
};

static double cube(const void *context, double x, double *slope)
{
    struct inside *in = *(struct inside *const *)context;
    in->beyond += !(x >= in->lo && x <= in->hi);
    *slope = 3 * (x - in->root) * (x - in->root) + 1;
    return pow(x - in->root, 3) + x - in->root;
}

/* From any start: a start beyond the bracket is replaced by its middle. */
static void check_solve(void)
{
    static const double start[] = {-5, 0, 0.5, 1, 7, NAN};
    for (size_t i = 0; i < sizeof start / sizeof *start; i++) {
        struct inside in = {0, 1, 0.3, 0}, *const at = &in;
        const double x = mk_solve(cube, &at, 0, 1, start[i]);
        CHECK(fabs(x - 0.3) < 1e-10 && !in.beyond, "the root from %g: %.12g, %d points beyond the bracket", start[i], x,
              in.beyond);
    }
}

/* Distributions that are truncated at `lo` and `hi`, near these ends, where tails are differences of two probabilities;
 * by mpmath with 40 digits. */
static void check_truncated_ends(void)
{
    char what[100];
    static const struct {
        const char *family;
        double v[2], lo, hi, x, cdf, above;
    } known[] = {
        {"beta", {30, 40}, 0.3, 0.6, 0x1.3333333333332p-1, 0.99999999999999999, 1.1897761605642717e-17},
        {"beta", {30, 40}, 0.3, 0.6, 0x1.333333333332ep-1, 0.99999999999999994, 5.9488808028214235e-17},
        {"beta", {30, 40}, 0.3, 0.6, 0x1.3333333333312p-1, 0.99999999999999961, 3.9262613298624395e-16},
        {"beta", {30, 40}, 0.3, 0.6, 0x1.3333333332332p-1, 0.99999999999995125, 4.8745129298863143e-14},
        {"beta", {30, 40}, 0.3, 0.6, 0x1.3333333333334p-2, 3.3346425817903331e-17, 0.99999999999999997},
        {"beta", {30, 40}, 0.3, 0.6, 0x1.3333333333338p-2, 1.6673212908951741e-16, 0.99999999999999983},
        {"beta", {30, 40}, 0.3, 0.6, 0x1.3333333333354p-2, 1.10043205199085e-15, 0.9999999999999989},
        {"beta", {30, 40}, 0.3, 0.6, 0x1.3333333334334p-2, 1.3662030657658602e-13, 0.99999999999986338},
        {"beta", {0.5, 9}, 0.01, 0.3, 0x1.3333333333332p-2, 0.99999999999999999, 1.4722067041196147e-17},
        {"beta", {0.5, 9}, 0.01, 0.3, 0x1.333333333332ep-2, 0.99999999999999993, 7.3610335205980842e-17},
        {"beta", {0.5, 9}, 0.01, 0.3, 0x1.3333333333312p-2, 0.99999999999999951, 4.858282123594785e-16},
        {"beta", {0.5, 9}, 0.01, 0.3, 0x1.3333333332332p-2, 0.99999999999993968, 6.0316308667870411e-14},
        {"beta", {0.5, 9}, 0.01, 0.3, 0x1.47ae147ae147cp-7, 4.0334499920120633e-17, 0.99999999999999996},
        {"beta", {0.5, 9}, 0.01, 0.3, 0x1.47ae147ae1480p-7, 2.0167249960060312e-16, 0.9999999999999998},
        {"beta", {0.5, 9}, 0.01, 0.3, 0x1.47ae147ae149cp-7, 1.3310384973639787e-15, 0.99999999999999867},
        {"beta", {0.5, 9}, 0.01, 0.3, 0x1.47ae147ae247cp-7, 1.6525044617270013e-13, 0.99999999999983475},
        {"beta", {2, 3}, 0.1, 0.9, 0x1.cccccccccccccp-1, 0.99999999999999999, 1.2701704095287816e-17},
        {"beta", {2, 3}, 0.1, 0.9, 0x1.cccccccccccc8p-1, 0.99999999999999994, 6.3508520476439346e-17},
        {"beta", {2, 3}, 0.1, 0.9, 0x1.cccccccccccacp-1, 0.99999999999999958, 4.1915623514451199e-16},
        {"beta", {2, 3}, 0.1, 0.9, 0x1.cccccccccbcccp-1, 0.99999999999994796, 5.203888167861768e-14},
        {"beta", {2, 3}, 0.1, 0.9, 0x1.999999999999bp-4, 1.4289417107198785e-17, 0.99999999999999999},
        {"beta", {2, 3}, 0.1, 0.9, 0x1.999999999999fp-4, 7.1447085535993942e-17, 0.99999999999999993},
        {"beta", {2, 3}, 0.1, 0.9, 0x1.99999999999bbp-4, 4.7155076453756073e-16, 0.99999999999999953},
        {"beta", {2, 3}, 0.1, 0.9, 0x1.999999999a99bp-4, 5.8543741888206365e-14, 0.99999999999994146},
        {"pareto", {3, 1}, 1.0, 1000.0, 0x1.f3fffffffffffp+9, 1.0, 3.4106051350590868e-25},
        {"pareto", {3, 1}, 1.0, 1000.0, 0x1.f3ffffffffffep+9, 1.0, 6.8212102701181752e-25},
        {"pareto", {3, 1}, 1.0, 1000.0, 0x1.f3ffffffffffbp+9, 1.0, 1.705302567529545e-24},
        {"pareto", {3, 1}, 1.0, 1000.0, 0x1.f3ffffffffff7p+9, 1.0, 3.0695446215531837e-24},
        {"pareto", {3, 1}, 1.0, 1000.0, 0x1.f3fffffffffdfp+9, 1.0, 1.1254996945695068e-23},
        {"pareto", {3, 1}, 1.0, 1000.0, 0x1.f3fffffffff7fp+9, 1.0, 4.39968062422635e-23},
        {"pareto", {3, 1}, 1.0, 1000.0, 0x1.f3fffffffefffp+9, 1.0, 1.3973249238350092e-21},
        {"pareto", {3, 1}, 1.0, 1000.0, 0x1.f3ffffff00000p+9, 1.0, 3.5762786909523675e-19},
        {"gaussian", {0.3, 1.1}, -1.0, 1.7, 0x1.b333333333332p+0, 0.99999999999999995, 4.5944094967785121e-17},
        {"gaussian", {0.3, 1.1}, -1.0, 1.7, 0x1.b33333333332ep+0, 0.99999999999999977, 2.2972047483892572e-16},
        {"gaussian", {0.3, 1.1}, -1.0, 1.7, 0x1.b333333333312p+0, 0.99999999999999848, 1.5161551339369152e-15},
        {"gaussian", {0.3, 1.1}, -1.0, 1.7, 0x1.b333333332332p+0, 0.99999999999981177, 1.8823295708311468e-13},
        {"gaussian", {0.3, 1.1}, -1.0, 1.7, -0x1.ffffffffffffep-1, 5.1366981281746749e-17, 0.99999999999999995},
        {"gaussian", {0.3, 1.1}, -1.0, 1.7, -0x1.ffffffffffff6p-1, 2.5683490640873387e-16, 0.99999999999999974},
        {"gaussian", {0.3, 1.1}, -1.0, 1.7, -0x1.fffffffffffbep-1, 1.6951103822976492e-15, 0.9999999999999983},
        {"gaussian", {0.3, 1.1}, -1.0, 1.7, -0x1.fffffffffdffep-1, 2.1045052231141925e-13, 0.99999999999978955},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct mk_dist *d = dist_simple(known[i].family, known[i].v[0], known[i].v[1], NAN, NAN);
        struct mk_error err;
        if (mk_dist_wrap(&d, "truncated", known[i].lo, known[i].hi, NULL, &err)) exit(1);
        const double shift = mk_dist_resolution(d);
        CHECK(shift > 0 && shift < 1e-9 * (known[i].hi - known[i].lo), "%s truncated: a small resolution, %g",
              known[i].family, shift);
        snprintf(what, sizeof what, "%s truncated to [%g, %g]", known[i].family, known[i].lo, known[i].hi);
        check_bounded(d, known[i].x, known[i].cdf, known[i].above, what);
        mk_dist_free(d);
    }
}

int main(void)
{
    gsl_set_error_handler_off();
    check_cut_exponents();
    check_clipped_ends();
    check_resolution();
    check_power_end();
    check_truncated_ends();
    check_tails();
    check_quantiles();
    check_beta_end();
    check_solve();
    return CHECK_EXIT;
}
