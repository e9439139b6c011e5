package io.memorygateway.budget.hold;

/** What a call holds and has reserved of a window, in the budget's unit. */
record Share(long amount, long reserved) {}
