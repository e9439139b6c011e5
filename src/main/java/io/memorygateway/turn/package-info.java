/**
 * Turns of threads: memory on proxied calls (contract §7). {@link io.memorygateway.turn.Turns}
 * opens a {@link io.memorygateway.turn.Turn}: it reads the end of the thread ({@code ThreadTails},
 * a cache that asks the database for the thread's version each time), which makes the {@code
 * CallFacts}; of these a {@code CallPlan} is made, without effects: what of the call is new, what
 * goes up, and what it changes of the thread; then old messages are recalled and the format writes
 * the body that goes upstream ({@code PreparedCall}). The turn then sees the answer, whole or event
 * by event, and stores the new messages of both sides in one transaction before the caller sees the
 * end.
 *
 * <p>A call that was answered before is a {@code ReplayedTurn}: by its Idempotency-Key, or because
 * the thread ends with the answer to the same call and its caller has not seen the end ({@code
 * HandedEnds}). One without memory is a {@code PlainTurn}. Calls that take long to align go through
 * {@code DedicatedThreads}, a few at a time.
 */
@org.jspecify.annotations.NullMarked
package io.memorygateway.turn;
