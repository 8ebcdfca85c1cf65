// Loops of the kinds that embedded benchmarks use: linked list, matrices, a state machine over text, and a CRC.

#include "support.h"

typedef struct node {
    struct node *next;
    int16_t key, index;
} node;

#define NODES 200
static node nodes[NODES];

static uint16_t crc16(uint16_t crc, uint32_t value, int bits) {
    for (int i = 0; i < bits; i++) {
        const uint16_t mix = (crc ^ value) & 1;
        value >>= 1;
        crc >>= 1;
        if (mix) crc ^= 0xA001;
    }
    return crc;
}

static node *build_list(void) {
    for (int i = 0; i < NODES; i++) {
        nodes[i].next = i + 1 < NODES ? &nodes[i + 1] : NULL;
        nodes[i].key = (int16_t)next_random();
        nodes[i].index = (int16_t)i;
    }
    return nodes;
}

static node *reverse(node *list) {
    node *done = NULL;
    while (list) {
        node *rest = list->next;
        list->next = done;
        done = list;
        list = rest;
    }
    return done;
}

static int by_key(const node *a, const node *b) { return a->key - b->key; }
static int by_index(const node *a, const node *b) { return a->index - b->index; }

// Bottom-up merge sort of a list.
static node *sort(node *list, int (*order)(const node *, const node *)) {
    for (int run = 1;; run *= 2) {
        node *left = list, *tail = NULL;
        int merges = 0;
        list = NULL;
        while (left) {
            merges++;
            node *right = left;
            int left_count = 0, right_count = run;
            while (left_count < run && right) {
                left_count++;
                right = right->next;
            }
            while (left_count > 0 || (right_count > 0 && right)) {
                node *taken;
                if (left_count > 0 && (right_count == 0 || !right || order(left, right) <= 0)) {
                    taken = left;
                    left = left->next;
                    left_count--;
                } else {
                    taken = right;
                    right = right->next;
                    right_count--;
                }
                if (tail) tail->next = taken;
                else list = taken;
                tail = taken;
            }
            left = right;
        }
        if (tail) tail->next = NULL;
        if (merges <= 1) return list;
    }
}

static uint16_t list_crc(const node *list) {
    uint16_t crc = 0xFFFF;
    for (; list; list = list->next) crc = crc16(crc, (uint16_t)list->key, 16);
    return crc;
}

#define SIDE 12
static int16_t a[SIDE][SIDE], b[SIDE][SIDE];
static int32_t c[SIDE][SIDE];

static uint32_t matrices(int16_t salt) {
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            a[i][j] = (int16_t)(next_random() % 1000 + (uint32_t)salt);
            b[i][j] = (int16_t)next_random();
        }
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            int32_t sum = 0;
            for (int k = 0; k < SIDE; k++) sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            const int32_t bits = ((c[i][j] >> 2) & 15) * ((c[i][j] >> 5) & 127);
            c[i][j] = bits + (c[i][j] % 97) - (int32_t)((uint32_t)c[i][j] / 1000);
        }
    return digest(DIGEST_START, c, sizeof c);
}

enum state { START, INTEGER, FRACTION, EXPONENT, SCIENTIFIC, INVALID, SIGN, STATES };

static enum state step(enum state now, char next) {
    const int digit = next >= '0' && next <= '9';
    switch (now) {
        case START: return digit ? INTEGER : next == '+' || next == '-' ? SIGN : next == '.' ? FRACTION : INVALID;
        case SIGN: return digit ? INTEGER : next == '.' ? FRACTION : INVALID;
        case INTEGER: return digit ? INTEGER : next == '.' ? FRACTION : next == 'e' ? EXPONENT : INVALID;
        case FRACTION: return digit ? FRACTION : next == 'e' || next == 'E' ? EXPONENT : INVALID;
        case EXPONENT: return next == '+' || next == '-' ? SCIENTIFIC : digit ? SCIENTIFIC : INVALID;
        case SCIENTIFIC: return digit ? SCIENTIFIC : INVALID;
        default: return INVALID;
    }
}

static void state_machine(void) {
    static const char text[] = "5012,-1.5,+.25e+7,T0.3e-1F,1.2.3,8e5,-110.700,+0.64400,1234e,87,-.e3,x,9,0.1E-12";
    uint32_t seen[STATES] = {0}, finals[STATES] = {0};
    enum state now = START;
    for (const char *p = text;; p++) {
        if (*p == ',' || *p == 0) {
            finals[now]++;
            now = START;
            if (*p == 0) break;
            continue;
        }
        now = step(now, *p);
        seen[now]++;
    }
    put_line("states", digest(digest(DIGEST_START, seen, sizeof seen), finals, sizeof finals));
}

int main(void) {
    node *list = build_list();
    put_line("built", list_crc(list));
    list = sort(list, by_key);
    put_line("sorted", list_crc(list));
    list = reverse(list);
    put_line("reversed", list_crc(list));
    list = sort(list, by_index);
    put_line("restored", list_crc(list));
    for (int16_t salt = -2; salt <= 2; salt++) put_line("matrix", matrices(salt));
    state_machine();
    uint16_t crc = 0;
    for (int i = 0; i < 500; i++) crc = crc16(crc, next_random(), 32);
    put_line("crc", crc);
    return 7;
}
