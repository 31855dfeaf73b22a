#include "sim/run/store/swept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/number.h"
#include "sim/base/text.h"
#include "sim/base/yaml_tree.h"

void mk_swept_clear(struct mk_swept *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->parameter[i].name);
        free(s->parameter[i].value);
        mk_free_texts(s->parameter[i].word, s->n_policies);
    }
    free(s->parameter);
    *s = (struct mk_swept){0};
}

/* The policies as they are read. */
struct policies {
    size_t n;
    const char *const *name;
    struct mk_tree **tree; /* [n] NULL: no parameters */
};

static const char *value_of(const struct policies *p, size_t policy, const char *key)
{
    const struct mk_node *value = p->tree[policy] ? mk_node_get(p->tree[policy]->root, key) : NULL;
    return value && value->kind == MK_NODE_SCALAR ? value->text : NULL;
}

static bool is_known(const struct mk_swept *s, const char *key)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->parameter[i].name, key) == 0) return true;
    return false;
}

/* The values of all policies as numbers, unless there is another one. */
static int read_numbers(struct mk_swept_parameter *of, size_t n, struct mk_error *err)
{
    of->value = malloc((n + 1) * sizeof *of->value);
    if (!of->value) return mk_fail_memory(err, "swept parameters");
    for (size_t p = 0; p < n; p++) {
        of->value[p] = NAN;
        if (!of->word[p] || mk_parse_real(of->word[p], strlen(of->word[p]), &of->value[p])) continue;
        free(of->value);
        of->value = NULL;
        return MK_OK;
    }
    return MK_OK;
}

static int add_parameter(struct mk_swept *s, const struct policies *p, const char *key, struct mk_error *err)
{
    if (!MK_GROW(s->parameter, s->n, 1)) return mk_fail_memory(err, "swept parameters");
    struct mk_swept_parameter *added = &s->parameter[s->n++];
    *added = (struct mk_swept_parameter){.name = strdup(key), .word = calloc(p->n + 1, sizeof *added->word)};
    if (!added->name || !added->word) return mk_fail_memory(err, "swept parameters");
    for (size_t i = 0; i < p->n; i++) {
        const char *value = value_of(p, i, key);
        if (value && !(added->word[i] = strdup(value))) return mk_fail_memory(err, "swept parameters");
    }
    return read_numbers(added, p->n, err);
}

/* Adds those parameters of policy `of`, one of a and b, that have other values in b than in a, or only one value. */
static int compare(struct mk_swept *s, const struct policies *p, size_t a, size_t b, size_t of, struct mk_error *err)
{
    const struct mk_node *root = p->tree[of] ? p->tree[of]->root : NULL;
    int code = MK_OK;
    for (size_t k = 0; !code && root && k < root->n; k++) {
        const char *key = root->child[k]->key;
        if (!key || is_known(s, key)) continue;
        const char *x = value_of(p, a, key), *y = value_of(p, b, key);
        if (x && y ? strcmp(x, y) != 0 : x != y) code = add_parameter(s, p, key, err);
    }
    return code;
}

/* Every policy against the first of its name. */
static int find(struct mk_swept *s, const struct policies *p, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t policy = 0; !code && policy < p->n; policy++) {
        size_t first = 0;
        while (strcmp(p->name[first], p->name[policy]) != 0) first++;
        code = compare(s, p, first, policy, first, err);
        if (!code) code = compare(s, p, first, policy, policy, err);
    }
    return code;
}

/* Puts them into the order in which the policies name them. */
static void sort(struct mk_swept *s, const struct policies *p)
{
    size_t sorted = 0;
    for (size_t policy = 0; policy < p->n && sorted < s->n; policy++) {
        const struct mk_node *root = p->tree[policy] ? p->tree[policy]->root : NULL;
        for (size_t k = 0; root && k < root->n; k++)
            for (size_t i = sorted; root->child[k]->key && i < s->n; i++) {
                const struct mk_swept_parameter found = s->parameter[i];
                if (strcmp(found.name, root->child[k]->key) != 0) continue;
                memmove(&s->parameter[sorted + 1], &s->parameter[sorted], (i - sorted) * sizeof found);
                s->parameter[sorted++] = found;
                break;
            }
    }
}

int mk_swept_read(struct mk_swept *out, const char *path, size_t n_policies, const char *const *name,
                  const char *const *parameters, struct mk_error *err)
{
    struct policies p = {n_policies, name, calloc(n_policies + 1, sizeof *p.tree)};
    int code = p.tree ? MK_OK : mk_fail_memory(err, "swept parameters");
    *out = (struct mk_swept){.n_policies = n_policies};
    for (size_t i = 0; !code && i < n_policies; i++)
        if (*parameters[i]) code = mk_tree_parse(&p.tree[i], path, parameters[i], strlen(parameters[i]), err);
    if (!code) code = find(out, &p, err);
    if (!code) sort(out, &p);
    for (size_t i = 0; p.tree && i < n_policies; i++) mk_tree_free(p.tree[i]);
    free(p.tree);
    if (code) mk_swept_clear(out);
    return code;
}

int mk_swept_of(struct mk_swept *out, const struct mk_experiment *e, struct mk_error *err)
{
    const size_t n = e->n_entries;
    const char **name = calloc(n + 1, sizeof *name);
    char **parameters = calloc(n + 1, sizeof *parameters);
    bool good = name && parameters;
    for (size_t p = 0; good && p < n; p++) {
        name[p] = e->entry[p].type->name;
        good = (parameters[p] = mk_policy_entry_parameters(&e->entry[p])) != NULL;
    }
    *out = (struct mk_swept){0};
    int code = good ? mk_swept_read(out, e->name, n, name, (const char *const *)parameters, err)
                    : mk_fail_memory(err, "swept parameters");
    mk_free_texts(parameters, parameters ? n : 0);
    free(name);
    return code;
}
