"""The tables of the program and their options, written by `make docs` from `maxk list tables` and `maxk list options`."""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal, Optional, Protocol, Union, overload

Text = Union[str, os.PathLike[str]]


class ResultTables:
    """Signatures of the tables of a result, which maxk.Result makes."""

    def info(
            self, *, experiment: bool = False, further: bool = False) -> Any:
        """`maxk info`: what a result file holds and where it comes from.

        experiment: print only the experiment as it was run, as YAML for maxk run
        further: a list of this table and those that are printed with it
        """

    def summary(
            self, *, policy: Optional[Text] = None, instance: Optional[Text] = None, horizon: Optional[float] =
            None, further: bool = False) -> Any:
        """`maxk summary`: mean pulls, largest rewards and regret.

        policy: only this policy
        instance: only this instance
        horizon: only this horizon; 1e-06 to 9.0072e+15
        further: a list of this table and those that are printed with it
        """

    def bounds(
            self, *, brief: bool = False, variant: Optional[Literal["printed", "sum", "endpoint", "figure_e5",
            "crossing", "explicit", "all", "proposition", "claims", "any_policy"]] = None, lu:
            Optional[Literal["exact", "trimmed", "plugin", "dkw"]] = None, upper: Optional[Literal["own",
            "global"]] = None, refinement: Optional[float] = None, policy: Optional[Text] = None, samples:
            Optional[int] = None, seed: Optional[int] = None, plugin: Union[Text, Sequence[Text], None] = None,
            further: bool = False) -> Any:
        """`maxk bounds`: compare the bounds on pulls and regret with what was simulated.

        brief: only count the verdicts of Theorem 4.2
        variant: form of the bound (default: all, which any_policy is not among)
        lu: estimator of L and U (default: exact; plugin for recorded rewards); dkw: confidence bounds on them
        upper: upper end point b in L and U: the arm's own or the largest of the instance (default: own)
        refinement: crossing: as in `maxk certify` (default: 0.2); 0.0001 to 1
        policy: only this policy
        samples: number of draws from each known distribution for the estimator plugin (default: 10000); 1 to 1e+08
        seed: seed of the draws (default: 42)
        plugin: load policies or families of your own (in place of the key `plugins`); may be repeated
        further: a list of this table and those that are printed with it
        """

    def certify(
            self, *, best_alpha: bool = False, best_bonus: bool = False, by: Optional[Literal["regret", "pulls"]]
            = None, out: Optional[Text] = None, format: Optional[Literal["png", "svg", "pdf", "tex"]] = None,
            policy: Optional[Text] = None, horizons: Union[int, Sequence[int], None] = None, refinement:
            Optional[float] = None, confidence: Optional[float] = None, samples: Optional[int] = None, plugin:
            Union[Text, Sequence[Text], None] = None, set: Union[Text, Sequence[Text], None] = None, columns:
            Optional[Text] = None, missing: Optional[Literal["own", "error", "drop_repetition", "drop_arm"]] =
            None, holes: Optional[Literal["error", "repeat", "close"]] = None, ends_early:
            Optional[Literal["error", "hold", "restart", "leave"]] = None, further: bool = False) -> Any:
        """`maxk certify`: bounds on the pulls of MaxUCB that are proved to hold.

        best_alpha: print certified bounds on the regret over alpha, and where they are smallest
        best_bonus: print certified bounds on the regret over alpha and power, and where they are smallest
        by: what --best-bonus compares: bounds on the regret, or on the pulls of all arms but the best one (default: regret)
        out: draw the trade-off that --best-bonus finds into this folder
        format: format of the picture that --out draws (default: png)
        policy: only this policy
        horizons: horizons (default: those of the file); 1 to 9.0072e+15
        refinement: refine the grids until a refinement changes upper by at most this share (default: 0.02; with --best-alpha
            and --best-bonus 0.2); 0.0001 to 1
        confidence: for recorded rewards: bounds for the distributions that the rewards were drawn from, with this confidence
            (default: bounds for the empirical distributions); with --samples that of its bounds (default: 0.999); 0.01 to
            0.999999
        samples: add bounds with confidence from this many replications of each policy; 2 to 1e+09
        plugin: load policies or families of your own; may be repeated
        set: override a key of the experiment, such as problem.instances=[adult] (repeatable)
        columns: names of the columns in a CSV file whose names are not the usual ones, such as
            instance=dataset,arm=classifier,repetition=seed,reward=accuracy
        missing: what to do if an arm lacks a repetition: keep in each instance the repetitions that all of its arms have
            (own), reject the file, drop the repetition in all instances, or drop the arm (default: own)
        holes: what to do if an iteration is missing within a series: reject the file, repeat the previous reward, or let
            later rewards move up (close) (default: error)
        ends_early: what to do if a series ends before the largest horizon: reject the file, repeat the last reward (hold),
            begin the series again, or let policies continue with the other arms (leave) (default: error)
        further: a list of this table and those that are printed with it
        """

    def rank(
            self, *, layout: Optional[Literal["rows", "beside", "tasks", "choice", "pairs", "verdicts"]] = None,
            baseline: Optional[Text] = None, policy: Union[Text, Sequence[Text], None] = None, without:
            Union[Text, Sequence[Text], None] = None, among: Optional[Text] = None, horizon: Union[float,
            Sequence[float], None] = None, score: Optional[Literal["max", "best_share", "incumbent"]] = None,
            unit: Optional[Literal["instance", "repetition"]] = None, budget: Optional[Text] = None, arm_cost:
            Union[Text, Sequence[Text], None] = None, out: Optional[Text] = None, loss:
            Optional[Literal["authors", "reached", "minmax"]] = None, resamples: Optional[int] = None, resample:
            Optional[Literal["instances", "repetitions", "both"]] = None, resampling: Optional[Literal["instance",
            "shared"]] = None, seed: Optional[int] = None, confidence: Optional[float] = None, alpha:
            Optional[float] = None, tolerance: Optional[float] = None, relative: Optional[float] = None, zeros:
            Optional[Literal["split", "drop"]] = None, pairs: bool = False, bayes: Optional[float] = None, by:
            Optional[Literal["rank", "loss"]] = None, further: bool = False) -> Any:
        """`maxk rank`: compare policies over instances: average ranks, wins and losses, tests.

        layout: what the table shows (default: rows)
        baseline: label of the policy that others are tested against (default: a combined search, else random, uniform, the
            first)
        policy: compare only this policy; may be repeated, for at least two
        without: leave out a policy; may be repeated
        among: compare only the policies of this name, such as max_ucb
        horizon: only these horizons; 1e-06 to 9.0072e+15
        score: what is compared: the largest reward (max), the share of pulls on the best arm, or, for noisy searches, the
            value without noise of the configuration with the largest reward (incumbent) (default: max)
        unit: what ranks, wins and tests count: instances, or repetitions of instances. The latter is for few instances with
            many repetitions, and its tests are about these instances alone (default: instance)
        budget: compare at equal cost instead of equal horizons: the largest reward that a policy reaches with pulls that cost
            at most B together, up to the longest horizon of the file. Costs are those of the arms (key cost), of recorded
            pulls (column cost) or of evaluations in part. A repetition counts only if B pays for the shortest horizon with
            every policy
        arm_cost: with --budget: a pull of this arm costs X, and a pull of an arm that is not named costs 1; replaces the
            costs of the file; may be repeated
        out: also draw maps of rank and loss into this folder, one for each swept parameter: its values against horizons or
            budgets
        loss: how the loss is normalised; the help of maxk rank explains the three ways (default: authors)
        resamples: bootstrap resamples (default: 1000); 0 to 1e+07
        resample: what the bootstrap resamples, and hence what the intervals are for: instances (new instances of the same
            kind), repetitions (these instances, run again), or both (default: instances)
        resampling: whether repetitions are drawn for each instance separately, or the same ones for all instances (default:
            instance)
        seed: seed of the resamples and of --bayes (default: 42)
        confidence: confidence level of the intervals (default: 0.95); 0.01 to 0.9999
        alpha: significance level of the tests (default: 0.05); 1e-06 to 0.5
        tolerance: scores whose difference is at most X are tied (default: 1e-8); 0 to 1
        relative: scores whose difference is at most X times the baseline's score are tied in wins and losses, in addition to
            --tolerance (default: 0; numpy.isclose has 1e-5); 0 to 1
        zeros: ties in Wilcoxon's test (default: split)
        pairs: the same as --layout pairs
        bayes: with --pairs: as in maxk compare; 0 to 1e+300
        by: with --layout choice: as in maxk best_set (default: rank)
        further: a list of this table and those that are printed with it
        """

    def compare(
            self, *, pairs: bool = False, bayes: Optional[float] = None, equivalence: Optional[float] = None,
            apart: bool = False, baseline: Optional[Text] = None, policy: Union[Text, Sequence[Text], None] =
            None, without: Union[Text, Sequence[Text], None] = None, among: Optional[Text] = None, horizon:
            Union[float, Sequence[float], None] = None, score: Optional[Literal["max", "best_share", "incumbent"]]
            = None, unit: Optional[Literal["instance", "repetition"]] = None, budget: Optional[Text] = None,
            arm_cost: Union[Text, Sequence[Text], None] = None, confidence: Optional[float] = None, alpha:
            Optional[float] = None, tolerance: Optional[float] = None, relative: Optional[float] = None, zeros:
            Optional[Literal["split", "drop"]] = None, seed: Optional[int] = None, further: bool = False) -> Any:
        """`maxk compare`: test policies over instances: against a baseline with verdicts, or all pairs.

        pairs: test every two policies against each other
        bayes: with --pairs: the Bayesian signed-rank test of Benavoli et al. 2017; scores no more than R apart are
            practically equivalent; 0 to 1e+300
        equivalence: also test whether the mean difference from the baseline is smaller than R; 1e-300 to 1e+300
        apart: keep several results apart, such as kinds of data, each with its own rows and horizons; p_holm and the verdicts
            are adjusted for the rows of all
        baseline: label of the policy that others are tested against (default: a combined search, else random, uniform, the
            first)
        policy: compare only this policy; may be repeated, for at least two
        without: leave out a policy; may be repeated
        among: compare only the policies of this name, such as max_ucb
        horizon: only these horizons; 1e-06 to 9.0072e+15
        score: what is compared: the largest reward (max), the share of pulls on the best arm, or, for noisy searches, the
            value without noise of the configuration with the largest reward (incumbent) (default: max)
        unit: what ranks, wins and tests count: instances, or repetitions of instances. The latter is for few instances with
            many repetitions, and its tests are about these instances alone (default: instance)
        budget: compare at equal cost instead of equal horizons: the largest reward that a policy reaches with pulls that cost
            at most B together, up to the longest horizon of the file. Costs are those of the arms (key cost), of recorded
            pulls (column cost) or of evaluations in part. A repetition counts only if B pays for the shortest horizon with
            every policy
        arm_cost: with --budget: a pull of this arm costs X, and a pull of an arm that is not named costs 1; replaces the
            costs of the file; may be repeated
        confidence: confidence level of the intervals (default: 0.95); 0.01 to 0.9999
        alpha: significance level of the verdicts (default: 0.05); 1e-06 to 0.5
        tolerance: scores whose difference is at most X are tied (default: 1e-8); 0 to 1
        relative: scores whose difference is at most X times the baseline's score are tied in wins and losses, in addition to
            --tolerance (default: 0; numpy.isclose has 1e-5); 0 to 1
        zeros: ties in Wilcoxon's test (default: split)
        seed: seed of --bayes (default: 42)
        further: a list of this table and those that are printed with it
        """

    def best_set(
            self, *, by: Optional[Literal["rank", "loss"]] = None, alpha: Optional[float] = None, choice: bool =
            False, baseline: Optional[Text] = None, policy: Union[Text, Sequence[Text], None] = None, without:
            Union[Text, Sequence[Text], None] = None, among: Optional[Text] = None, horizon: Union[float,
            Sequence[float], None] = None, score: Optional[Literal["max", "best_share", "incumbent"]] = None,
            unit: Optional[Literal["instance", "repetition"]] = None, budget: Optional[Text] = None, arm_cost:
            Union[Text, Sequence[Text], None] = None, loss: Optional[Literal["authors", "reached", "minmax"]] =
            None, seed: Optional[int] = None, further: bool = False) -> Any:
        """`maxk best_set`: which policies may be the best one, and how well a choice made from data does.

        by: what makes a policy good on an instance: a small rank, or a small normalised loss (default: rank)
        alpha: probability with which the best policy may be missing from the set (default: 0.05); 1e-06 to 0.5
        choice: print how well a policy does that is chosen from data
        baseline: label of the policy that others are tested against (default: a combined search, else random, uniform, the
            first)
        policy: compare only this policy; may be repeated, for at least two
        without: leave out a policy; may be repeated
        among: compare only the policies of this name, such as max_ucb
        horizon: only these horizons; 1e-06 to 9.0072e+15
        score: what is compared: the largest reward (max), the share of pulls on the best arm, or, for noisy searches, the
            value without noise of the configuration with the largest reward (incumbent) (default: max)
        unit: what ranks, wins and tests count: instances, or repetitions of instances. The latter is for few instances with
            many repetitions, and its tests are about these instances alone (default: instance)
        budget: compare at equal cost instead of equal horizons: the largest reward that a policy reaches with pulls that cost
            at most B together, up to the longest horizon of the file. Costs are those of the arms (key cost), of recorded
            pulls (column cost) or of evaluations in part. A repetition counts only if B pays for the shortest horizon with
            every policy
        arm_cost: with --budget: a pull of this arm costs X, and a pull of an arm that is not named costs 1; replaces the
            costs of the file; may be repeated
        loss: how the loss is normalised; the help of maxk rank explains the three ways (default: authors)
        seed: seed of the sign flips, of more than 13 instances (default: 42)
        further: a list of this table and those that are printed with it
        """

    def sample_size(
            self, *, effect: Optional[float] = None, power: Optional[float] = None, alpha: Optional[float] = None,
            baseline: Optional[Text] = None, policy: Union[Text, Sequence[Text], None] = None, without:
            Union[Text, Sequence[Text], None] = None, among: Optional[Text] = None, horizon: Union[float,
            Sequence[float], None] = None, score: Optional[Literal["max", "best_share", "incumbent"]] = None,
            unit: Optional[Literal["instance", "repetition"]] = None, budget: Optional[Text] = None, arm_cost:
            Union[Text, Sequence[Text], None] = None, further: bool = False) -> Any:
        """`maxk sample_size`: how many instances and repetitions a comparison needs, from its variance components.

        effect: the mean difference that is to be found (default: the observed one); 1e-300 to 1e+300
        power: probability with which it is to be found (default: 0.8); 0.05 to 0.9999
        alpha: two-sided level of the test (default: 0.05); 1e-06 to 0.5
        baseline: label of the policy that others are tested against (default: a combined search, else random, uniform, the
            first)
        policy: compare only this policy; may be repeated, for at least two
        without: leave out a policy; may be repeated
        among: compare only the policies of this name, such as max_ucb
        horizon: only these horizons; 1e-06 to 9.0072e+15
        score: what is compared: the largest reward (max), the share of pulls on the best arm, or, for noisy searches, the
            value without noise of the configuration with the largest reward (incumbent) (default: max)
        unit: what ranks, wins and tests count: instances, or repetitions of instances. The latter is for few instances with
            many repetitions, and its tests are about these instances alone (default: instance)
        budget: compare at equal cost instead of equal horizons: the largest reward that a policy reaches with pulls that cost
            at most B together, up to the longest horizon of the file. Costs are those of the arms (key cost), of recorded
            pulls (column cost) or of evaluations in part. A repetition counts only if B pays for the shortest horizon with
            every policy
        arm_cost: with --budget: a pull of this arm costs X, and a pull of an arm that is not named costs 1; replaces the
            costs of the file; may be repeated
        further: a list of this table and those that are printed with it
        """

    def gap_table(
            self, *, horizons: Union[float, Sequence[float], None] = None, until: Optional[int] = None, plugin:
            Union[Text, Sequence[Text], None] = None, set: Union[Text, Sequence[Text], None] = None, columns:
            Optional[Text] = None, missing: Optional[Literal["own", "error", "drop_repetition", "drop_arm"]] =
            None, holes: Optional[Literal["error", "repeat", "close"]] = None, ends_early:
            Optional[Literal["error", "hold", "restart", "leave"]] = None, further: bool = False) -> Any:
        """`maxk gap`: expected maxima, best arms and suboptimality gaps per horizon.

        horizons: horizons (default: those of the file; for recorded rewards without any, the length of the shortest series);
            1e-06 to 9.0072e+15
        until: look for changes of the best arm up to this horizon (default: 1e12); 1 to 9.0072e+15
        plugin: load policies or families of your own; may be repeated
        set: override a key of the experiment, such as problem.instances=[adult] (repeatable)
        columns: names of the columns in a CSV file whose names are not the usual ones, such as
            instance=dataset,arm=classifier,repetition=seed,reward=accuracy
        missing: what to do if an arm lacks a repetition: keep in each instance the repetitions that all of its arms have
            (own), reject the file, drop the repetition in all instances, or drop the arm (default: own)
        holes: what to do if an iteration is missing within a series: reject the file, repeat the previous reward, or let
            later rewards move up (close) (default: error)
        ends_early: what to do if a series ends before the largest horizon: reject the file, repeat the last reward (hold),
            begin the series again, or let policies continue with the other arms (leave) (default: error)
        further: a list of this table and those that are printed with it
        """

    def lu(
            self, *, estimator: Optional[Literal["exact", "trimmed", "plugin", "paper_c3", "all"]] = None, upper:
            Optional[Literal["own", "global"]] = None, published: bool = False, normalise: bool = False,
            confidence: Optional[float] = None, interval: Optional[Literal["band", "bootstrap"]] = None, samples:
            Optional[int] = None, runs: Optional[int] = None, resamples: Optional[int] = None, seed: Optional[int]
            = None, plugin: Union[Text, Sequence[Text], None] = None, set: Union[Text, Sequence[Text], None] =
            None, columns: Optional[Text] = None, missing: Optional[Literal["own", "error", "drop_repetition",
            "drop_arm"]] = None, holes: Optional[Literal["error", "repeat", "close"]] = None, ends_early:
            Optional[Literal["error", "hold", "restart", "leave"]] = None, further: bool = False) -> Any:
        """`maxk lu`: the constants L and U of Lemma 3.3 (Balef et al. 2025).

        estimator: estimator (default: all)
        upper: upper end point b: that of the arm, or the largest one of the arms of the instance; for recorded rewards, the
            largest value (default: own)
        published: compare with published tables: the published numbers, the same computation repeated, and the exact
            constants, for arms that the tables have
        normalise: first map recorded rewards linearly to [0, 1], per instance and repetition; b is then 1 with --upper global
        confidence: confidence level of the intervals (default: 0.95); 0.01 to 0.999999
        interval: interval of plugin: from the simultaneous Dvoretzky-Kiefer-Wolfowitz-Massart band, or from the percentile
            bootstrap (default: band)
        samples: size of the samples that are drawn from known distributions (default: 1000); 1 to 1e+08
        runs: number of samples for paper_c3 (default: 1000); 1 to 1e+07
        resamples: bootstrap resamples (default: 1000); 1 to 1e+06
        seed: seed of the draws (default: 42)
        plugin: load policies or families of your own; may be repeated
        set: override a key of the experiment, such as problem.instances=[adult] (repeatable)
        columns: names of the columns in a CSV file whose names are not the usual ones, such as
            instance=dataset,arm=classifier,repetition=seed,reward=accuracy
        missing: what to do if an arm lacks a repetition: keep in each instance the repetitions that all of its arms have
            (own), reject the file, drop the repetition in all instances, or drop the arm (default: own)
        holes: what to do if an iteration is missing within a series: reject the file, repeat the previous reward, or let
            later rewards move up (close) (default: error)
        ends_early: what to do if a series ends before the largest horizon: reject the file, repeat the last reward (hold),
            begin the series again, or let policies continue with the other arms (leave) (default: error)
        further: a list of this table and those that are printed with it
        """

    def survival(
            self, *, points: Optional[int] = None, samples: Optional[int] = None, confidence: Optional[float] =
            None, seed: Optional[int] = None, plugin: Union[Text, Sequence[Text], None] = None, set: Union[Text,
            Sequence[Text], None] = None, columns: Optional[Text] = None, missing: Optional[Literal["own",
            "error", "drop_repetition", "drop_arm"]] = None, holes: Optional[Literal["error", "repeat", "close"]]
            = None, ends_early: Optional[Literal["error", "hold", "restart", "leave"]] = None, further: bool =
            False) -> Any:
        """`maxk survival`: survival functions, exact and empirical.

        points: points per arm (default: 101); 2 to 1e+08
        samples: number of draws from each known distribution, for the column empirical (default: 0); 0 to 1e+08
        confidence: confidence level of the band (default: 0.95); 0.01 to 0.999999
        seed: seed of the draws (default: 42)
        plugin: load policies or families of your own; may be repeated
        set: override a key of the experiment, such as problem.instances=[adult] (repeatable)
        columns: names of the columns in a CSV file whose names are not the usual ones, such as
            instance=dataset,arm=classifier,repetition=seed,reward=accuracy
        missing: what to do if an arm lacks a repetition: keep in each instance the repetitions that all of its arms have
            (own), reject the file, drop the repetition in all instances, or drop the arm (default: own)
        holes: what to do if an iteration is missing within a series: reject the file, repeat the previous reward, or let
            later rewards move up (close) (default: error)
        ends_early: what to do if a series ends before the largest horizon: reject the file, repeat the last reward (hold),
            begin the series again, or let policies continue with the other arms (leave) (default: error)
        further: a list of this table and those that are printed with it
        """

    def tails(
            self, *, exceedances: Optional[int] = None, block: Optional[int] = None, confidence: Optional[float] =
            None, draws: Optional[int] = None, samples: Optional[int] = None, seed: Optional[int] = None, plugin:
            Union[Text, Sequence[Text], None] = None, set: Union[Text, Sequence[Text], None] = None, columns:
            Optional[Text] = None, missing: Optional[Literal["own", "error", "drop_repetition", "drop_arm"]] =
            None, holes: Optional[Literal["error", "repeat", "close"]] = None, ends_early:
            Optional[Literal["error", "hold", "restart", "leave"]] = None, further: bool = False) -> Any:
        """`maxk tails`: tails of the arms: extreme-value fits, end points, bounded against heavy.

        exceedances: fit the N largest rewards of an arm (default: a tenth, but 20 to 1000); 10 to 100000
        block: fit the largest rewards of blocks of N consecutive pulls instead; 2 to 1e+08
        confidence: confidence level of each interval (default: 0.95); 0.5 to 0.999
        draws: samples drawn for intervals and tests (default: 1000); 99 to 1e+06
        samples: draws per synthetic arm (default: 10000); 100 to 1e+08
        seed: seed of the draws (default: 42)
        plugin: load policies or families of your own; may be repeated
        set: override a key of the experiment, such as problem.instances=[adult] (repeatable)
        columns: names of the columns in a CSV file whose names are not the usual ones, such as
            instance=dataset,arm=classifier,repetition=seed,reward=accuracy
        missing: what to do if an arm lacks a repetition: keep in each instance the repetitions that all of its arms have
            (own), reject the file, drop the repetition in all instances, or drop the arm (default: own)
        holes: what to do if an iteration is missing within a series: reject the file, repeat the previous reward, or let
            later rewards move up (close) (default: error)
        ends_early: what to do if a series ends before the largest horizon: reject the file, repeat the last reward (hold),
            begin the series again, or let policies continue with the other arms (leave) (default: error)
        further: a list of this table and those that are printed with it
        """

    def survey(
            self, *, concave: Optional[int] = None, raw: bool = False, plugin: Union[Text, Sequence[Text], None] =
            None, set: Union[Text, Sequence[Text], None] = None, columns: Optional[Text] = None, missing:
            Optional[Literal["own", "error", "drop_repetition", "drop_arm"]] = None, holes:
            Optional[Literal["error", "repeat", "close"]] = None, ends_early: Optional[Literal["error", "hold",
            "restart", "leave"]] = None, further: bool = False) -> Any:
        """`maxk survey`: describe recorded rewards: ranks, gaps, skewness, drift.

        concave: print the concavity of best-so-far curves, with growth rates over C pulls; 1 to 1e+09
        raw: do not normalise the rewards
        plugin: load policies or families of your own; may be repeated
        set: override a key of the experiment, such as problem.instances=[adult] (repeatable)
        columns: names of the columns in a CSV file whose names are not the usual ones, such as
            instance=dataset,arm=classifier,repetition=seed,reward=accuracy
        missing: what to do if an arm lacks a repetition: keep in each instance the repetitions that all of its arms have
            (own), reject the file, drop the repetition in all instances, or drop the arm (default: own)
        holes: what to do if an iteration is missing within a series: reject the file, repeat the previous reward, or let
            later rewards move up (close) (default: error)
        ends_early: what to do if a series ends before the largest horizon: reject the file, repeat the last reward (hold),
            begin the series again, or let policies continue with the other arms (leave) (default: error)
        further: a list of this table and those that are printed with it
        """

    def targets(
            self, *, baseline: Optional[Text] = None, policy: Union[Text, Sequence[Text], None] = None, without:
            Union[Text, Sequence[Text], None] = None, among: Optional[Text] = None, levels: Optional[int] = None,
            target: Optional[float] = None, cost: bool = False, speed_ups: bool = False, confidence:
            Optional[float] = None, further: bool = False) -> Any:
        """`maxk targets`: time and cost until policies reach given rewards, and speed-ups.

        baseline: label of the policy that others are compared with (default: a combined search, else random, uniform, the
            first)
        policy: compare only this policy and others named so
        without: leave out a policy; may be repeated
        among: compare only the policies of this name, such as max_ucb
        levels: targets per instance (default: 5); 1 to 1000
        target: one target, the reward X, the same on every instance; -1e+300 to 1e+300
        cost: count time in costs of pulls
        speed_ups: speed-ups on every instance, as in Li et al. 2020
        confidence: confidence level of the intervals (default: 0.95); 0.01 to 0.9999
        further: a list of this table and those that are printed with it
        """

    def exceed(
            self, *, above: Optional[float] = None, out: Optional[Text] = None, further: bool = False) -> Any:
        """`maxk exceed`: count rewards above a threshold.

        above: the threshold (required)
        out: also draw the counts against T into this folder
        further: a list of this table and those that are printed with it
        """

    def rate(
            self, *, all: bool = False, policy: Optional[Text] = None, instance: Optional[Text] = None, from_:
            Optional[int] = None, to: Optional[int] = None, resamples: Optional[int] = None, plugin: Union[Text,
            Sequence[Text], None] = None, further: bool = False) -> Any:
        """`maxk rate`: fit the growth of pulls and regret in T and compare it with claimed rates.

        all: show every form of growth, not only the best
        policy: only this policy
        instance: only this instance
        from_: smallest horizon of the fits (default: 2); 2 to 9.0072e+15
        to: largest horizon of the fits (default: the largest of the file); 2 to 9.0072e+15
        resamples: bootstrap resamples (default: 200; 0: none); 0 to 100000
        plugin: load policies or families of your own (in place of the key `plugins`); may be repeated
        further: a list of this table and those that are printed with it
        """

    def frontier(
            self, *, rarely: Optional[float] = None, out: Optional[Text] = None, picture: Optional[Literal["png",
            "svg", "pdf", "tex"]] = None, further: bool = False) -> Any:
        """`maxk frontier`: pulls of an arm against lock-outs (runs that lose the best arm), and a lower bound for every policy.

        rarely: an arm with fewer than S T pulls is locked out (default: 0.5); others than 0.5 need single replications in
            BEST.h5 (keep: pulls); 1e-09 to 1
        out: also draw the policies and the frontier at the largest horizon, into this folder
        picture: format of the figure (default: png)
        further: a list of this table and those that are printed with it
        """

    def importance(
            self, *, further: bool = False) -> Any:
        """`maxk importance`: importance of the hyperparameters of a study.

        further: a list of this table and those that are printed with it
        """


RESULT_TABLES = {
    "info": "info",
    "summary": "summary",
    "bounds": "bounds",
    "certify": "certify",
    "rank": "rank",
    "compare": "compare",
    "best_set": "best_set",
    "sample_size": "sample_size",
    "gap_table": "gap",
    "lu": "lu",
    "survival": "survival",
    "tails": "tails",
    "survey": "survey",
    "targets": "targets",
    "exceed": "exceed",
    "rate": "rate",
    "frontier": "frontier",
    "importance": "importance",
}


class Table(Protocol):
    """maxk.table: a table by its name, inputs and options."""

    @overload
    def __call__(
            self, command: Literal["info"], *operands: Text, experiment: bool = False, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["summary"], *operands: Text, policy: Optional[Text] = None, instance:
            Optional[Text] = None, horizon: Optional[float] = None, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["bounds"], *operands: Text, brief: bool = False, variant:
            Optional[Literal["printed", "sum", "endpoint", "figure_e5", "crossing", "explicit", "all",
            "proposition", "claims", "any_policy"]] = None, lu: Optional[Literal["exact", "trimmed", "plugin",
            "dkw"]] = None, upper: Optional[Literal["own", "global"]] = None, refinement: Optional[float] = None,
            policy: Optional[Text] = None, samples: Optional[int] = None, seed: Optional[int] = None, plugin:
            Union[Text, Sequence[Text], None] = None, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["certify"], *operands: Text, best_alpha: bool = False, best_bonus: bool =
            False, by: Optional[Literal["regret", "pulls"]] = None, out: Optional[Text] = None, format:
            Optional[Literal["png", "svg", "pdf", "tex"]] = None, policy: Optional[Text] = None, horizons:
            Union[int, Sequence[int], None] = None, refinement: Optional[float] = None, confidence:
            Optional[float] = None, samples: Optional[int] = None, plugin: Union[Text, Sequence[Text], None] =
            None, set: Union[Text, Sequence[Text], None] = None, columns: Optional[Text] = None, missing:
            Optional[Literal["own", "error", "drop_repetition", "drop_arm"]] = None, holes:
            Optional[Literal["error", "repeat", "close"]] = None, ends_early: Optional[Literal["error", "hold",
            "restart", "leave"]] = None, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["rank"], *operands: Text, layout: Optional[Literal["rows", "beside", "tasks",
            "choice", "pairs", "verdicts"]] = None, baseline: Optional[Text] = None, policy: Union[Text,
            Sequence[Text], None] = None, without: Union[Text, Sequence[Text], None] = None, among: Optional[Text]
            = None, horizon: Union[float, Sequence[float], None] = None, score: Optional[Literal["max",
            "best_share", "incumbent"]] = None, unit: Optional[Literal["instance", "repetition"]] = None, budget:
            Optional[Text] = None, arm_cost: Union[Text, Sequence[Text], None] = None, out: Optional[Text] = None,
            loss: Optional[Literal["authors", "reached", "minmax"]] = None, resamples: Optional[int] = None,
            resample: Optional[Literal["instances", "repetitions", "both"]] = None, resampling:
            Optional[Literal["instance", "shared"]] = None, seed: Optional[int] = None, confidence:
            Optional[float] = None, alpha: Optional[float] = None, tolerance: Optional[float] = None, relative:
            Optional[float] = None, zeros: Optional[Literal["split", "drop"]] = None, pairs: bool = False, bayes:
            Optional[float] = None, by: Optional[Literal["rank", "loss"]] = None, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["compare"], *operands: Text, pairs: bool = False, bayes: Optional[float] =
            None, equivalence: Optional[float] = None, apart: bool = False, baseline: Optional[Text] = None,
            policy: Union[Text, Sequence[Text], None] = None, without: Union[Text, Sequence[Text], None] = None,
            among: Optional[Text] = None, horizon: Union[float, Sequence[float], None] = None, score:
            Optional[Literal["max", "best_share", "incumbent"]] = None, unit: Optional[Literal["instance",
            "repetition"]] = None, budget: Optional[Text] = None, arm_cost: Union[Text, Sequence[Text], None] =
            None, confidence: Optional[float] = None, alpha: Optional[float] = None, tolerance: Optional[float] =
            None, relative: Optional[float] = None, zeros: Optional[Literal["split", "drop"]] = None, seed:
            Optional[int] = None, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["best_set"], *operands: Text, by: Optional[Literal["rank", "loss"]] = None,
            alpha: Optional[float] = None, choice: bool = False, baseline: Optional[Text] = None, policy:
            Union[Text, Sequence[Text], None] = None, without: Union[Text, Sequence[Text], None] = None, among:
            Optional[Text] = None, horizon: Union[float, Sequence[float], None] = None, score:
            Optional[Literal["max", "best_share", "incumbent"]] = None, unit: Optional[Literal["instance",
            "repetition"]] = None, budget: Optional[Text] = None, arm_cost: Union[Text, Sequence[Text], None] =
            None, loss: Optional[Literal["authors", "reached", "minmax"]] = None, seed: Optional[int] = None,
            further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["sample_size"], *operands: Text, effect: Optional[float] = None, power:
            Optional[float] = None, alpha: Optional[float] = None, baseline: Optional[Text] = None, policy:
            Union[Text, Sequence[Text], None] = None, without: Union[Text, Sequence[Text], None] = None, among:
            Optional[Text] = None, horizon: Union[float, Sequence[float], None] = None, score:
            Optional[Literal["max", "best_share", "incumbent"]] = None, unit: Optional[Literal["instance",
            "repetition"]] = None, budget: Optional[Text] = None, arm_cost: Union[Text, Sequence[Text], None] =
            None, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["gap"], *operands: Text, horizons: Union[float, Sequence[float], None] = None,
            until: Optional[int] = None, plugin: Union[Text, Sequence[Text], None] = None, set: Union[Text,
            Sequence[Text], None] = None, columns: Optional[Text] = None, missing: Optional[Literal["own",
            "error", "drop_repetition", "drop_arm"]] = None, holes: Optional[Literal["error", "repeat", "close"]]
            = None, ends_early: Optional[Literal["error", "hold", "restart", "leave"]] = None, further: bool =
            False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["lu"], *operands: Text, estimator: Optional[Literal["exact", "trimmed",
            "plugin", "paper_c3", "all"]] = None, upper: Optional[Literal["own", "global"]] = None, published:
            bool = False, normalise: bool = False, confidence: Optional[float] = None, interval:
            Optional[Literal["band", "bootstrap"]] = None, samples: Optional[int] = None, runs: Optional[int] =
            None, resamples: Optional[int] = None, seed: Optional[int] = None, plugin: Union[Text, Sequence[Text],
            None] = None, set: Union[Text, Sequence[Text], None] = None, columns: Optional[Text] = None, missing:
            Optional[Literal["own", "error", "drop_repetition", "drop_arm"]] = None, holes:
            Optional[Literal["error", "repeat", "close"]] = None, ends_early: Optional[Literal["error", "hold",
            "restart", "leave"]] = None, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["survival"], *operands: Text, points: Optional[int] = None, samples:
            Optional[int] = None, confidence: Optional[float] = None, seed: Optional[int] = None, plugin:
            Union[Text, Sequence[Text], None] = None, set: Union[Text, Sequence[Text], None] = None, columns:
            Optional[Text] = None, missing: Optional[Literal["own", "error", "drop_repetition", "drop_arm"]] =
            None, holes: Optional[Literal["error", "repeat", "close"]] = None, ends_early:
            Optional[Literal["error", "hold", "restart", "leave"]] = None, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["tails"], *operands: Text, exceedances: Optional[int] = None, block:
            Optional[int] = None, confidence: Optional[float] = None, draws: Optional[int] = None, samples:
            Optional[int] = None, seed: Optional[int] = None, plugin: Union[Text, Sequence[Text], None] = None,
            set: Union[Text, Sequence[Text], None] = None, columns: Optional[Text] = None, missing:
            Optional[Literal["own", "error", "drop_repetition", "drop_arm"]] = None, holes:
            Optional[Literal["error", "repeat", "close"]] = None, ends_early: Optional[Literal["error", "hold",
            "restart", "leave"]] = None, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["survey"], *operands: Text, concave: Optional[int] = None, raw: bool = False,
            plugin: Union[Text, Sequence[Text], None] = None, set: Union[Text, Sequence[Text], None] = None,
            columns: Optional[Text] = None, missing: Optional[Literal["own", "error", "drop_repetition",
            "drop_arm"]] = None, holes: Optional[Literal["error", "repeat", "close"]] = None, ends_early:
            Optional[Literal["error", "hold", "restart", "leave"]] = None, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["targets"], *operands: Text, baseline: Optional[Text] = None, policy:
            Union[Text, Sequence[Text], None] = None, without: Union[Text, Sequence[Text], None] = None, among:
            Optional[Text] = None, levels: Optional[int] = None, target: Optional[float] = None, cost: bool =
            False, speed_ups: bool = False, confidence: Optional[float] = None, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["exceed"], *operands: Text, above: Optional[float] = None, out: Optional[Text]
            = None, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["rate"], *operands: Text, all: bool = False, policy: Optional[Text] = None,
            instance: Optional[Text] = None, from_: Optional[int] = None, to: Optional[int] = None, resamples:
            Optional[int] = None, plugin: Union[Text, Sequence[Text], None] = None, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["frontier"], *operands: Text, rarely: Optional[float] = None, out:
            Optional[Text] = None, picture: Optional[Literal["png", "svg", "pdf", "tex"]] = None, further: bool =
            False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["optimum"], *operands: Text, horizons: Union[int, Sequence[int], None] = None,
            plugin: Union[Text, Sequence[Text], None] = None, set: Union[Text, Sequence[Text], None] = None,
            columns: Optional[Text] = None, missing: Optional[Literal["own", "error", "drop_repetition",
            "drop_arm"]] = None, holes: Optional[Literal["error", "repeat", "close"]] = None, ends_early:
            Optional[Literal["error", "hold", "restart", "leave"]] = None, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["map"], *operands: Text, vary: Union[Text, Sequence[Text], None] = None, set:
            Union[Text, Sequence[Text], None] = None, variant: Optional[Literal["printed", "sum", "endpoint",
            "figure_e5", "crossing", "explicit", "proposition"]] = None, claim: Optional[Text] = None, y:
            Optional[Literal["key", "L", "gap"]] = None, columns: Optional[int] = None, rows: Optional[int] =
            None, replications: Optional[int] = None, seed: Optional[int] = None, out: Optional[Text] = None,
            format: Optional[Literal["png", "svg", "pdf", "tex"]] = None, threads: Optional[int] = None, further:
            bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["search"], *operands: Text, vary: Union[Text, Sequence[Text], None] = None,
            set: Union[Text, Sequence[Text], None] = None, variant: Optional[Literal["printed", "sum", "endpoint",
            "figure_e5", "crossing", "explicit", "proposition"]] = None, claim: Optional[Text] = None, loosest:
            bool = False, evaluations: Optional[int] = None, replications: Optional[int] = None, confirm:
            Optional[int] = None, seed: Optional[int] = None, output: Optional[Text] = None, threads:
            Optional[int] = None, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["recommend"], *operands: Text, horizon: Optional[float] = None, costs: bool =
            False, score: Optional[Literal["max", "incumbent"]] = None, confidence: Optional[float] = None, seed:
            Optional[int] = None, output: Optional[Text] = None, plugin: Union[Text, Sequence[Text], None] = None,
            set: Union[Text, Sequence[Text], None] = None, columns: Optional[Text] = None, missing:
            Optional[Literal["own", "error", "drop_repetition", "drop_arm"]] = None, holes:
            Optional[Literal["error", "repeat", "close"]] = None, ends_early: Optional[Literal["error", "hold",
            "restart", "leave"]] = None, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["import"], *operands: Text, from_: Optional[Literal["optuna", "smac",
            "hpbandster", "irace", "mlflow", "amlb", "ray", "wide", "table"]] = None, arm: Optional[Text] = None,
            instance: Optional[Text] = None, repetition: Optional[Text] = None, iteration: Optional[Text] = None,
            value: Optional[Text] = None, direction: Optional[Literal["maximize", "minimize"]] = None, failed:
            Optional[Text] = None, cost: Optional[Text] = None, arm_name: Optional[Text] = None, objective:
            Optional[int] = None, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["schedule"], *operands: Text, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["trace"], *operands: Text, policy: Optional[Text] = None, instance:
            Optional[Text] = None, replication: Optional[int] = None, horizon: Optional[float] = None, plugin:
            Union[Text, Sequence[Text], None] = None, set: Union[Text, Sequence[Text], None] = None, columns:
            Optional[Text] = None, missing: Optional[Literal["own", "error", "drop_repetition", "drop_arm"]] =
            None, holes: Optional[Literal["error", "repeat", "close"]] = None, ends_early:
            Optional[Literal["error", "hold", "restart", "leave"]] = None, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["acquisition"], *operands: Text, arm: Optional[Text] = None, evaluations:
            Optional[int] = None, hyperparameter: Optional[Text] = None, through: Optional[Literal["best",
            "proposal"]] = None, points: Optional[int] = None, instance: Optional[Text] = None, replication:
            Optional[int] = None, out: Optional[Text] = None, picture: Optional[Literal["png", "svg", "pdf",
            "tex"]] = None, plugin: Union[Text, Sequence[Text], None] = None, set: Union[Text, Sequence[Text],
            None] = None, columns: Optional[Text] = None, missing: Optional[Literal["own", "error",
            "drop_repetition", "drop_arm"]] = None, holes: Optional[Literal["error", "repeat", "close"]] = None,
            ends_early: Optional[Literal["error", "hold", "restart", "leave"]] = None, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["trials"], *operands: Text, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["importance"], *operands: Text, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["claims"], *operands: Text, list: bool = False, replications: Optional[int] =
            None, seed: Optional[int] = None, experiments: Optional[Text] = None, threads: Optional[int] = None,
            further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["list"], *operands: Text, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["problem"], *operands: Text, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["policies"], *operands: Text, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["horizons"], *operands: Text, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["cells"], *operands: Text, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["quantile_pulls"], *operands: Text, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["quantile_max"], *operands: Text, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["rare"], *operands: Text, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["provenance"], *operands: Text, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["pulls"], *operands: Text, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["max_reward"], *operands: Text, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["cost"], *operands: Text, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["incumbent"], *operands: Text, further: bool = False) -> Any: ...
