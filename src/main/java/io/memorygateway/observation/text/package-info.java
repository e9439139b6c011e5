/**
 * The text of observations: turns messages into notes, and condenses notes (contract §8). Pure but
 * for the model that may be asked: it knows no database, no job and no part of the API, so its
 * tests need no server.
 *
 * <p>{@link io.memorygateway.observation.text.ObserverChain} is the way in. It splits {@link
 * io.memorygateway.observation.text.UnobservedMessage}s into passages, which are the readable parts
 * of messages, and passages into batches. A batch becomes an {@link
 * io.memorygateway.observation.text.Observation} in one of two ways:
 *
 * <ul>
 *   <li>a model writes it ({@link io.memorygateway.observation.text.ModelObserver}): the batch is
 *       framed as a transcript, in which nothing that is said can end its frame; the answer is
 *       parsed strictly, and is not kept if it is cut off, repeats itself or is not smaller than
 *       what it condenses. The call itself is a {@link
 *       io.memorygateway.observation.text.ModelClient}, which others implement.
 *   <li>sentences are picked by their score, without a model or after it failed. This always
 *       succeeds, and invents nothing.
 * </ul>
 *
 * <p>An {@link io.memorygateway.observation.text.ObservationLog} is the form that both write, and
 * {@link io.memorygateway.observation.text.TokenCounter} the measure of all sizes. Which messages
 * are observed when, and how the result is stored, is decided in {@code observation}.
 */
@NullMarked
package io.memorygateway.observation.text;

import org.jspecify.annotations.NullMarked;
