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
            self, *, policy: Optional[Text] = None, instance: Optional[Text] = None, horizon: Optional[int] =
            None, further: bool = False) -> Any:
        """`maxk summary`: mean pulls, largest rewards and regret.

        policy: only this policy
        instance: only this instance
        horizon: only this horizon
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
        samples: draws per synthetic arm for plugin (default: 10000); 1 to 1e+08
        seed: seed of the draws (default: 42)
        plugin: load policies or families of your own (in place of the key `plugins`); may be repeated
        further: a list of this table and those that are printed with it
        """

    def certify(
            self, *, best_alpha: bool = False, best_bonus: bool = False, by: Optional[Literal["regret", "pulls"]]
            = None, out: Optional[Text] = None, format: Optional[Literal["png", "svg", "pdf", "tex"]] = None,
            policy: Optional[Text] = None, horizons: Union[int, Sequence[int], None] = None, refinement:
            Optional[float] = None, confidence: Optional[float] = None, plugin: Union[Text, Sequence[Text], None]
            = None, set: Union[Text, Sequence[Text], None] = None, columns: Optional[Text] = None, missing:
            Optional[Literal["own", "error", "drop_repetition", "drop_arm"]] = None, holes:
            Optional[Literal["error", "repeat", "close"]] = None, ends_early: Optional[Literal["error", "hold",
            "restart", "leave"]] = None, further: bool = False) -> Any:
        """`maxk certify`: bounds on the pulls of MaxUCB that are proved to hold.

        best_alpha: print certified bounds on the regret over alpha, and where they are smallest
        best_bonus: print certified bounds on the regret over alpha and power, and where they are smallest
        by: what --best-bonus compares: bounds on the regret, or on the pulls of all arms but the best one (default: regret)
        out: draw the trade-off that --best-bonus finds into this folder
        format: format of the picture that --out draws (default: png)
        policy: this policy only
        horizons: horizons (default: those of the file); 1 to 9.0072e+15
        refinement: refine until the last refinement changes upper by this share at most (default: 0.02; with --best-alpha and
            --best-bonus 0.2); 0.0001 to 1
        confidence: recorded rewards: bounds that hold for their true distributions with this confidence (default: for the
            empirical ones); 0.01 to 0.999999
        plugin: load policies or families of your own; may be repeated
        set: override a key of the experiment, such as problem.instances=[adult] (repeatable)
        columns: what the columns of a CSV file are called, such as
            instance=dataset,arm=classifier,repetition=seed,reward=accuracy
        missing: where an arm lacks a repetition: each instance keeps its own complete ones, error, drop the repetition
            everywhere, or drop the arm (default: own)
        holes: where an iteration is missing within a series (default: error)
        ends_early: where a series ends before the largest horizon (default: error)
        further: a list of this table and those that are printed with it
        """

    def rank(
            self, *, layout: Optional[Literal["rows", "beside", "tasks", "choice", "pairs", "verdicts"]] = None,
            baseline: Optional[Text] = None, policy: Union[Text, Sequence[Text], None] = None, without:
            Union[Text, Sequence[Text], None] = None, among: Optional[Text] = None, horizon: Union[int,
            Sequence[int], None] = None, score: Optional[Literal["max", "best_share", "incumbent"]] = None, unit:
            Optional[Literal["instance", "repetition"]] = None, budget: Optional[Text] = None, arm_cost:
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
        policy: compare only this policy and others named so
        without: leave out a policy; may be repeated
        among: compare only the policies of this name, such as max_ucb
        horizon: only these horizons
        score: what is compared: the largest reward, the share of pulls on the best arm, or of noisy searches the value
            without noise of the configuration with the largest reward (default: max)
        unit: what counts as one in ranks, wins and tests: an instance, or every repetition of every instance, for a few
            instances of many repetitions; tests are then of these instances alone (default: instance)
        budget: in place of horizons: what a policy has reached, at the longest horizon of the file, at a cost of at most B:
            of arms (cost), of recorded pulls (column cost), of evaluations in part; only repetitions in which every policy
            affords the shortest horizon count
        arm_cost: with --budget: every pull of this arm costs X, other arms 1, in place of those costs; may be repeated
        out: also draw maps of rank and loss of every sweep (its values against horizons or budgets) into this folder
        loss: normalised loss (default: authors)
        resamples: bootstrap resamples (default: 1000); 0 to 1e+07
        resample: what intervals are for: new instances, these instances with new repetitions, or both levels resampled
            (default: instances)
        resampling: draw repetitions for every instance, or the same for all (default: instance)
        seed: seed of the resamples and of --bayes (default: 42)
        confidence: confidence level of the intervals (default: 0.95); 0.01 to 0.9999
        alpha: significance level of the tests (default: 0.05); 1e-06 to 0.5
        tolerance: scores this close are tied (default: 1e-8); 0 to 1
        relative: tolerance of wins and losses relative to the baseline's score (default: 0; NumPy's isclose: 1e-5); 0 to 1
        zeros: ties in Wilcoxon's test (default: split)
        pairs: the same as --layout pairs: maxk compare --pairs
        bayes: with --pairs, as of maxk compare; 0 to 1e+300
        by: with --layout choice, as of maxk best_set (default: rank)
        further: a list of this table and those that are printed with it
        """

    def compare(
            self, *, pairs: bool = False, bayes: Optional[float] = None, baseline: Optional[Text] = None, policy:
            Union[Text, Sequence[Text], None] = None, without: Union[Text, Sequence[Text], None] = None, among:
            Optional[Text] = None, horizon: Union[int, Sequence[int], None] = None, score: Optional[Literal["max",
            "best_share", "incumbent"]] = None, unit: Optional[Literal["instance", "repetition"]] = None, budget:
            Optional[Text] = None, arm_cost: Union[Text, Sequence[Text], None] = None, confidence: Optional[float]
            = None, alpha: Optional[float] = None, tolerance: Optional[float] = None, relative: Optional[float] =
            None, zeros: Optional[Literal["split", "drop"]] = None, seed: Optional[int] = None, further: bool =
            False) -> Any:
        """`maxk compare`: test policies over instances: against a baseline with verdicts, or all pairs.

        pairs: tests of every two policies
        bayes: with --pairs: the Bayesian signed-rank test of Benavoli et al. 2017; scores no more than R apart are
            practically equivalent; 0 to 1e+300
        baseline: label of the policy that others are tested against (default: a combined search, else random, uniform, the
            first)
        policy: compare only this policy and others named so
        without: leave out a policy; may be repeated
        among: compare only the policies of this name, such as max_ucb
        horizon: only these horizons
        score: what is compared: the largest reward, the share of pulls on the best arm, or of noisy searches the value
            without noise of the configuration with the largest reward (default: max)
        unit: what counts as one in ranks, wins and tests: an instance, or every repetition of every instance, for a few
            instances of many repetitions; tests are then of these instances alone (default: instance)
        budget: in place of horizons: what a policy has reached, at the longest horizon of the file, at a cost of at most B:
            of arms (cost), of recorded pulls (column cost), of evaluations in part; only repetitions in which every policy
            affords the shortest horizon count
        arm_cost: with --budget: every pull of this arm costs X, other arms 1, in place of those costs; may be repeated
        confidence: confidence level of the intervals (default: 0.95); 0.01 to 0.9999
        alpha: significance level of the verdicts (default: 0.05); 1e-06 to 0.5
        tolerance: scores this close are tied (default: 1e-8); 0 to 1
        relative: tolerance of wins and losses relative to the baseline's score (default: 0; NumPy's isclose: 1e-5); 0 to 1
        zeros: ties in Wilcoxon's test (default: split)
        seed: seed of --bayes (default: 42)
        further: a list of this table and those that are printed with it
        """

    def best_set(
            self, *, by: Optional[Literal["rank", "loss"]] = None, alpha: Optional[float] = None, choice: bool =
            False, baseline: Optional[Text] = None, policy: Union[Text, Sequence[Text], None] = None, without:
            Union[Text, Sequence[Text], None] = None, among: Optional[Text] = None, horizon: Union[int,
            Sequence[int], None] = None, score: Optional[Literal["max", "best_share", "incumbent"]] = None, unit:
            Optional[Literal["instance", "repetition"]] = None, budget: Optional[Text] = None, arm_cost:
            Union[Text, Sequence[Text], None] = None, loss: Optional[Literal["authors", "reached", "minmax"]] =
            None, seed: Optional[int] = None, further: bool = False) -> Any:
        """`maxk best_set`: which policies may be the best one, and how well a choice made from data does.

        by: what has to be small on an instance: the rank or the normalised loss (default: rank)
        alpha: probability with which the best one may be missing (default: 0.05); 1e-06 to 0.5
        choice: how well a policy does that is chosen from data
        baseline: label of the policy that others are tested against (default: a combined search, else random, uniform, the
            first)
        policy: compare only this policy and others named so
        without: leave out a policy; may be repeated
        among: compare only the policies of this name, such as max_ucb
        horizon: only these horizons
        score: what is compared: the largest reward, the share of pulls on the best arm, or of noisy searches the value
            without noise of the configuration with the largest reward (default: max)
        unit: what counts as one in ranks, wins and tests: an instance, or every repetition of every instance, for a few
            instances of many repetitions; tests are then of these instances alone (default: instance)
        budget: in place of horizons: what a policy has reached, at the longest horizon of the file, at a cost of at most B:
            of arms (cost), of recorded pulls (column cost), of evaluations in part; only repetitions in which every policy
            affords the shortest horizon count
        arm_cost: with --budget: every pull of this arm costs X, other arms 1, in place of those costs; may be repeated
        loss: normalised loss (default: authors)
        seed: seed of the sign flips, of more than 13 instances (default: 42)
        further: a list of this table and those that are printed with it
        """

    def gap_table(
            self, *, horizons: Union[int, Sequence[int], None] = None, until: Optional[int] = None, plugin:
            Union[Text, Sequence[Text], None] = None, set: Union[Text, Sequence[Text], None] = None, columns:
            Optional[Text] = None, missing: Optional[Literal["own", "error", "drop_repetition", "drop_arm"]] =
            None, holes: Optional[Literal["error", "repeat", "close"]] = None, ends_early:
            Optional[Literal["error", "hold", "restart", "leave"]] = None, further: bool = False) -> Any:
        """`maxk gap`: expected maxima, best arms and suboptimality gaps per horizon.

        horizons: horizons (default: those of the file; for recorded rewards without any, the length of the shortest series);
            1 to 9.0072e+15
        until: look for changes of the best arm up to this horizon (default: 1e12); 1 to 9.0072e+15
        plugin: load policies or families of your own; may be repeated
        set: override a key of the experiment, such as problem.instances=[adult] (repeatable)
        columns: what the columns of a CSV file are called, such as
            instance=dataset,arm=classifier,repetition=seed,reward=accuracy
        missing: where an arm lacks a repetition: each instance keeps its own complete ones, error, drop the repetition
            everywhere, or drop the arm (default: own)
        holes: where an iteration is missing within a series (default: error)
        ends_early: where a series ends before the largest horizon (default: error)
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
        upper: upper end point b: the arm's own or its largest value, or the largest over the arms of the instance (default:
            own)
        published: only the arms of published tables: the published numbers, the same computation repeated, and the constants
        normalise: first map recorded rewards linearly to [0, 1] per instance and repetition; with --upper global b is then 1
        confidence: confidence level of the intervals (default: 0.95); 0.01 to 0.999999
        interval: interval around plugin: the simultaneous Dvoretzky-Kiefer-Wolfowitz-Massart band or the percentile bootstrap
            (default: band)
        samples: draws per synthetic arm and run (default: 1000); 1 to 1e+08
        runs: runs of paper_c3 (default: 1000); 1 to 1e+07
        resamples: bootstrap resamples (default: 1000); 1 to 1e+06
        seed: seed of the draws (default: 42)
        plugin: load policies or families of your own; may be repeated
        set: override a key of the experiment, such as problem.instances=[adult] (repeatable)
        columns: what the columns of a CSV file are called, such as
            instance=dataset,arm=classifier,repetition=seed,reward=accuracy
        missing: where an arm lacks a repetition: each instance keeps its own complete ones, error, drop the repetition
            everywhere, or drop the arm (default: own)
        holes: where an iteration is missing within a series (default: error)
        ends_early: where a series ends before the largest horizon (default: error)
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
        samples: draws per synthetic arm (default: 0, exact only); 0 to 1e+08
        confidence: confidence level of the band (default: 0.95); 0.01 to 0.999999
        seed: seed of the draws (default: 42)
        plugin: load policies or families of your own; may be repeated
        set: override a key of the experiment, such as problem.instances=[adult] (repeatable)
        columns: what the columns of a CSV file are called, such as
            instance=dataset,arm=classifier,repetition=seed,reward=accuracy
        missing: where an arm lacks a repetition: each instance keeps its own complete ones, error, drop the repetition
            everywhere, or drop the arm (default: own)
        holes: where an iteration is missing within a series (default: error)
        ends_early: where a series ends before the largest horizon (default: error)
        further: a list of this table and those that are printed with it
        """

    def survey(
            self, *, concave: Optional[int] = None, raw: bool = False, plugin: Union[Text, Sequence[Text], None] =
            None, set: Union[Text, Sequence[Text], None] = None, columns: Optional[Text] = None, missing:
            Optional[Literal["own", "error", "drop_repetition", "drop_arm"]] = None, holes:
            Optional[Literal["error", "repeat", "close"]] = None, ends_early: Optional[Literal["error", "hold",
            "restart", "leave"]] = None, further: bool = False) -> Any:
        """`maxk survey`: describe recorded rewards: ranks, gaps, skewness, drift.

        concave: the concavity of best-so-far curves, growth averaged over C pulls; 1 to 1e+09
        raw: do not normalise the rewards
        plugin: load policies or families of your own; may be repeated
        set: override a key of the experiment, such as problem.instances=[adult] (repeatable)
        columns: what the columns of a CSV file are called, such as
            instance=dataset,arm=classifier,repetition=seed,reward=accuracy
        missing: where an arm lacks a repetition: each instance keeps its own complete ones, error, drop the repetition
            everywhere, or drop the arm (default: own)
        holes: where an iteration is missing within a series (default: error)
        ends_early: where a series ends before the largest horizon (default: error)
        further: a list of this table and those that are printed with it
        """

    def exceed(
            self, *, above: Optional[float] = None, out: Optional[Text] = None, further: bool = False) -> Any:
        """`maxk exceed`: count rewards above a threshold.

        above: the threshold (required)
        out: also draw the counts against T, into this folder
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
    "gap_table": "gap",
    "lu": "lu",
    "survival": "survival",
    "survey": "survey",
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
            Optional[Text] = None, horizon: Optional[int] = None, further: bool = False) -> Any: ...

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
            Optional[float] = None, plugin: Union[Text, Sequence[Text], None] = None, set: Union[Text,
            Sequence[Text], None] = None, columns: Optional[Text] = None, missing: Optional[Literal["own",
            "error", "drop_repetition", "drop_arm"]] = None, holes: Optional[Literal["error", "repeat", "close"]]
            = None, ends_early: Optional[Literal["error", "hold", "restart", "leave"]] = None, further: bool =
            False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["rank"], *operands: Text, layout: Optional[Literal["rows", "beside", "tasks",
            "choice", "pairs", "verdicts"]] = None, baseline: Optional[Text] = None, policy: Union[Text,
            Sequence[Text], None] = None, without: Union[Text, Sequence[Text], None] = None, among: Optional[Text]
            = None, horizon: Union[int, Sequence[int], None] = None, score: Optional[Literal["max", "best_share",
            "incumbent"]] = None, unit: Optional[Literal["instance", "repetition"]] = None, budget: Optional[Text]
            = None, arm_cost: Union[Text, Sequence[Text], None] = None, out: Optional[Text] = None, loss:
            Optional[Literal["authors", "reached", "minmax"]] = None, resamples: Optional[int] = None, resample:
            Optional[Literal["instances", "repetitions", "both"]] = None, resampling: Optional[Literal["instance",
            "shared"]] = None, seed: Optional[int] = None, confidence: Optional[float] = None, alpha:
            Optional[float] = None, tolerance: Optional[float] = None, relative: Optional[float] = None, zeros:
            Optional[Literal["split", "drop"]] = None, pairs: bool = False, bayes: Optional[float] = None, by:
            Optional[Literal["rank", "loss"]] = None, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["compare"], *operands: Text, pairs: bool = False, bayes: Optional[float] =
            None, baseline: Optional[Text] = None, policy: Union[Text, Sequence[Text], None] = None, without:
            Union[Text, Sequence[Text], None] = None, among: Optional[Text] = None, horizon: Union[int,
            Sequence[int], None] = None, score: Optional[Literal["max", "best_share", "incumbent"]] = None, unit:
            Optional[Literal["instance", "repetition"]] = None, budget: Optional[Text] = None, arm_cost:
            Union[Text, Sequence[Text], None] = None, confidence: Optional[float] = None, alpha: Optional[float] =
            None, tolerance: Optional[float] = None, relative: Optional[float] = None, zeros:
            Optional[Literal["split", "drop"]] = None, seed: Optional[int] = None, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["best_set"], *operands: Text, by: Optional[Literal["rank", "loss"]] = None,
            alpha: Optional[float] = None, choice: bool = False, baseline: Optional[Text] = None, policy:
            Union[Text, Sequence[Text], None] = None, without: Union[Text, Sequence[Text], None] = None, among:
            Optional[Text] = None, horizon: Union[int, Sequence[int], None] = None, score: Optional[Literal["max",
            "best_share", "incumbent"]] = None, unit: Optional[Literal["instance", "repetition"]] = None, budget:
            Optional[Text] = None, arm_cost: Union[Text, Sequence[Text], None] = None, loss:
            Optional[Literal["authors", "reached", "minmax"]] = None, seed: Optional[int] = None, further: bool =
            False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["gap"], *operands: Text, horizons: Union[int, Sequence[int], None] = None,
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
            self, command: Literal["survey"], *operands: Text, concave: Optional[int] = None, raw: bool = False,
            plugin: Union[Text, Sequence[Text], None] = None, set: Union[Text, Sequence[Text], None] = None,
            columns: Optional[Text] = None, missing: Optional[Literal["own", "error", "drop_repetition",
            "drop_arm"]] = None, holes: Optional[Literal["error", "repeat", "close"]] = None, ends_early:
            Optional[Literal["error", "hold", "restart", "leave"]] = None, further: bool = False) -> Any: ...

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
            False, confidence: Optional[float] = None, seed: Optional[int] = None, output: Optional[Text] = None,
            plugin: Union[Text, Sequence[Text], None] = None, set: Union[Text, Sequence[Text], None] = None,
            columns: Optional[Text] = None, missing: Optional[Literal["own", "error", "drop_repetition",
            "drop_arm"]] = None, holes: Optional[Literal["error", "repeat", "close"]] = None, ends_early:
            Optional[Literal["error", "hold", "restart", "leave"]] = None, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["import"], *operands: Text, from_: Optional[Literal["optuna", "smac",
            "hpbandster", "irace", "mlflow", "wide", "table"]] = None, arm: Optional[Text] = None, instance:
            Optional[Text] = None, repetition: Optional[Text] = None, iteration: Optional[Text] = None, value:
            Optional[Text] = None, direction: Optional[Literal["maximize", "minimize"]] = None, failed:
            Optional[Text] = None, cost: Optional[Text] = None, arm_name: Optional[Text] = None, further: bool =
            False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["schedule"], *operands: Text, further: bool = False) -> Any: ...

    @overload
    def __call__(
            self, command: Literal["trace"], *operands: Text, policy: Optional[Text] = None, instance:
            Optional[Text] = None, replication: Optional[int] = None, horizon: Optional[int] = None, plugin:
            Union[Text, Sequence[Text], None] = None, set: Union[Text, Sequence[Text], None] = None, columns:
            Optional[Text] = None, missing: Optional[Literal["own", "error", "drop_repetition", "drop_arm"]] =
            None, holes: Optional[Literal["error", "repeat", "close"]] = None, ends_early:
            Optional[Literal["error", "hold", "restart", "leave"]] = None, further: bool = False) -> Any: ...

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
