/* A ring buffer. */
#include <stdio.h>
#include "ring.h"

#ifndef RING_C
#define RING_C
#define SIZE 16
#define MAX(a, b) \
	((a) > (b) ? (a) : (b))

struct ring;

/* A ring. */
struct ring {
	int head, tail;
	char *data[SIZE];
	int (*compare)(const void *, const void *);
	struct { int x; } inner;
};

typedef struct {
	int x;
} point_t;

typedef int (*callback)(void *data, int n);
typedef unsigned long ulong_t;

enum color { RED, GREEN = 2, BLUE };

static const char *names[] = { "a}", "b" };
extern int verbose;
int count = 0;

int ring_push(struct ring *r, char *item);

// Adds an item.
static inline int
push(struct ring *r,
     char *item)
{
	if (r->head == '}') { return 1; }
	return 0;
}

struct ring *ring_new(void) {
	struct ring *r = NULL;
	return r;
}

#ifdef FAST
int run(int a) {
#else
int run(void) {
#endif
	for (;;) { break; }
	return 0;
}

__attribute__((noreturn)) void die(const char *format, ...) { while (1); }
EXPORT_SYMBOL(die);

int main(int argc, char **argv)
{
	printf("{%d}\n", MAX(1, 2));
}
#endif
