// memcpy, memmove, memset, memcmp and the string functions of newlib, and our own word copies, at every alignment.

#include <string.h>

#include "support.h"

#define ROOM 192
static uint8_t source[ROOM], target[ROOM];

static void refill(void) {
    for (int i = 0; i < ROOM; i++) source[i] = (uint8_t)(next_random() >> 24), target[i] = (uint8_t)i;
}

// Copies by words that may be unaligned, then by bytes.
__attribute__((noinline)) static void copy_words(uint8_t *to, const uint8_t *from, size_t count) {
    for (; count >= 4; count -= 4, to += 4, from += 4) {
        uint32_t word;
        __builtin_memcpy(&word, from, 4);
        __builtin_memcpy(to, &word, 4);
    }
    if (count & 2) {
        uint16_t half;
        __builtin_memcpy(&half, from, 2);
        __builtin_memcpy(to, &half, 2);
        to += 2, from += 2;
    }
    if (count & 1) *to = *from;
}

int main(void) {
    uint32_t copies = DIGEST_START, words = DIGEST_START, moves = DIGEST_START, sets = DIGEST_START;
    int32_t order = 0;
    for (size_t to = 0; to < 8; to++)
        for (size_t from = 0; from < 8; from++)
            for (size_t count = 0; count <= 72; count += from == to ? 1 : 3) {
                refill();
                memcpy(target + to, source + from, count);
                copies = digest(copies, target, ROOM);
                const int compared = memcmp(target + to, source + from, count + 8);
                order += compared > 0 ? 3 : compared < 0 ? -2 : 1;
                copy_words(target + 90 + to, source + 5 + from, count);
                words = digest(words, target, ROOM);
                memmove(source + to + 40, source + from + 30, count);
                memmove(source + from, source + to + 9, count);
                moves = digest(moves, source, ROOM);
                memset(target + to, (int)count, count);
                sets = digest(sets, target, ROOM);
            }
    put_line("memcpy", copies);
    put_line("words", words);
    put_line("memmove", moves);
    put_line("memset", sets);
    put_line("memcmp", (uint32_t)order);
    uint32_t strings = DIGEST_START;
    for (size_t at = 0; at < 8; at++)
        for (size_t length = 0; length < 40; length++) {
            memset(source, 'a', ROOM);
            source[at + length] = 0;
            source[at + length / 2] = length > 1 ? 'q' : source[at + length / 2];
            strcpy((char *)target + 3, (char *)source + at);
            const char *found = strchr((char *)source + at, 'q');
            const uint32_t facts[3] = {strlen((char *)source + at), found ? (uint32_t)(found - (char *)source) : 999,
                                       (uint32_t)(strcmp((char *)target + 3, (char *)source + 1) > 0)};
            strings = digest(strings, facts, sizeof facts);
        }
    put_line("strings", strings);
    return 0;
}
