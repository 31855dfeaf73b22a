/* Search spaces from text. */
#ifndef MAXK_TESTS_SUPPORT_SPACES_H
#define MAXK_TESTS_SUPPORT_SPACES_H

#include <stdlib.h>
#include <string.h>

#include "sim/search/space/space_read.h"
#include "tests/support/check.h"

static inline struct mk_space *space_parse(const char *text, struct mk_error *err)
{
    struct mk_tree *tree = NULL;
    struct mk_space *s = NULL;
    if (mk_tree_parse(&tree, "f", text, strlen(text), err) == MK_OK) mk_space_read(&s, tree->root, err);
    mk_tree_free(tree);
    return s;
}

static inline struct mk_space *space_must(const char *text)
{
    struct mk_error err = {0, ""};
    struct mk_space *s = space_parse(text, &err);
    if (!s) {
        CHECK(0, "%s: %s", text, err.text);
        exit(1);
    }
    return s;
}

#endif
