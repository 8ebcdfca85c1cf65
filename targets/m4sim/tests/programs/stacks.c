// Work on other stacks than the main one: a function on a static array, and two coroutines that take turns.

#pragma GCC optimize("no-optimize-sibling-calls")  // a call stays a call
#include "support.h"

// Saves what a function must keep, goes on on the stack `to`, and keeps the pointer of this one in `*from`.
__attribute__((naked, noinline)) void switch_to(uint32_t **from, uint32_t *to) {
    __asm volatile("push {r4-r11, lr}\n str sp, [r0]\n mov sp, r1\n pop {r4-r11, pc}");
}

// Runs `work` on the stack that ends at `top`.
__attribute__((naked, noinline)) void on_array(void (*work)(void), uint32_t *top) {
    __asm volatile("push {r4, lr}\n mov r4, sp\n mov sp, r1\n blx r0\n mov sp, r4\n pop {r4, pc}");
}

static uint32_t total;

__attribute__((noinline)) static void fill(uint32_t words) {
    volatile uint32_t space[64];
    for (uint32_t i = 0; i < words; i++) space[i % 64] = i, total += space[i % 64];
}

__attribute__((noinline)) static void on_the_array(void) {
    fill(500);
    total++;
}

static uint32_t array[256];  // 1 KiB

// Two in one object, the upper one first.
static uint32_t task_stacks[2][128];
static uint32_t *main_at, *task_at[2];

__attribute__((noinline)) static void yield(uint32_t number) { switch_to(&task_at[number], main_at); }

__attribute__((noinline)) static void first_part(void) { fill(100); }
__attribute__((noinline)) static void second_part(void) { fill(90); }

static void first_task(void) {
    for (;;) {
        first_part();
        yield(0);
    }
}

static void second_task(void) {
    for (;;) {
        second_part();
        yield(1);
    }
}

static void prepare(uint32_t number, uint32_t *top, void (*task)(void)) {
    task_at[number] = top - 9;
    task_at[number][8] = (uint32_t)task;
}

__attribute__((noinline)) static void resume(uint32_t number) { switch_to(&main_at, task_at[number]); }

int main(void) {
    on_array(on_the_array, array + 256);
    prepare(0, task_stacks[1] + 128, first_task);
    prepare(1, task_stacks[0] + 128, second_task);
    for (int round = 0; round < 5; round++) {
        resume(0);
        resume(1);
    }
    put_line("total", total);
    return 0;
}
