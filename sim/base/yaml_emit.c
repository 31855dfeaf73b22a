#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "sim/base/yaml_tree.h"

struct sink {
    char *text;
    size_t n, room;
};

static int append(void *context, unsigned char *bytes, size_t size)
{
    struct sink *s = context;
    if (s->n + size + 1 > s->room) {
        size_t room = 2 * (s->n + size + 1);
        char *grown = realloc(s->text, room);
        if (!grown) return 0;
        s->text = grown;
        s->room = room;
    }
    memcpy(s->text + s->n, bytes, size);
    s->n += size;
    s->text[s->n] = 0;
    return 1;
}

static bool emit_text(yaml_emitter_t *emitter, const char *text, int quoted)
{
    yaml_event_t event;
    yaml_scalar_style_t style = quoted ? YAML_DOUBLE_QUOTED_SCALAR_STYLE : YAML_ANY_SCALAR_STYLE;
    return yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text, (int)strlen(text), 1, 1,
                                        style) &&
           yaml_emitter_emit(emitter, &event);
}

static bool emit_node(yaml_emitter_t *emitter, const struct mk_node *node)
{
    yaml_event_t event;
    if (node->kind == MK_NODE_SCALAR) return emit_text(emitter, node->text, node->quoted);
    if (node->kind == MK_NODE_LIST) {
        yaml_sequence_style_t style = node->flow ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE;
        if (!yaml_sequence_start_event_initialize(&event, NULL, NULL, 1, style) || !yaml_emitter_emit(emitter, &event))
            return false;
    } else {
        yaml_mapping_style_t style = node->flow ? YAML_FLOW_MAPPING_STYLE : YAML_BLOCK_MAPPING_STYLE;
        if (!yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, style) || !yaml_emitter_emit(emitter, &event))
            return false;
    }
    for (size_t i = 0; i < node->n; i++) {
        if (node->kind == MK_NODE_MAPPING && !emit_text(emitter, node->child[i]->key, 0)) return false;
        if (!emit_node(emitter, node->child[i])) return false;
    }
    int ended = node->kind == MK_NODE_LIST ? yaml_sequence_end_event_initialize(&event)
                                           : yaml_mapping_end_event_initialize(&event);
    return ended && yaml_emitter_emit(emitter, &event);
}

char *mk_node_emit(const struct mk_node *node)
{
    struct sink sink = {NULL, 0, 0};
    yaml_emitter_t emitter;
    yaml_event_t event;
    if (!yaml_emitter_initialize(&emitter)) return NULL;
    yaml_emitter_set_output(&emitter, append, &sink);
    yaml_emitter_set_encoding(&emitter, YAML_UTF8_ENCODING);
    yaml_emitter_set_unicode(&emitter, 1);
    yaml_emitter_set_width(&emitter, -1);
    bool good = yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING) && yaml_emitter_emit(&emitter, &event) &&
                yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1) &&
                yaml_emitter_emit(&emitter, &event) && emit_node(&emitter, node) &&
                yaml_document_end_event_initialize(&event, 1) && yaml_emitter_emit(&emitter, &event) &&
                yaml_stream_end_event_initialize(&event) && yaml_emitter_emit(&emitter, &event);
    yaml_emitter_delete(&emitter);
    if (good) return sink.text;
    free(sink.text);
    return NULL;
}
