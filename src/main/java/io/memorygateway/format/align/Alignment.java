package io.memorygateway.format.align;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The split of a call into messages that its thread has and messages that are new (contract §7,
 * "Callers resend"). Callers send a whole history, its tail, a window, a history with parts cut or
 * dropped, the same message again in the second step of a tool loop, or only what is new. In
 * principle:
 *
 * <ol>
 *   <li><b>The model's messages are the witness.</b> A caller knows answers, tool calls and their
 *       results only from the thread. The incoming list is aligned with the stored one so that as
 *       much as possible is the same in the same order; runs without a gap are preferred to
 *       scattered matches, later ones to earlier ones. Everything up to the last answer, call or
 *       result found so is history, even if altered, cut or dropped here and there; an answer in
 *       the position of a stored one is its echo in any words, and so is a call or a result of the
 *       same id.
 *   <li><b>The user's messages alone prove nothing.</b> They are history when they stand directly
 *       behind the witness in both lists; or, in a call without any witness, when they are what the
 *       thread ends with and nobody has answered. Else the same words are a new turn.
 *   <li><b>A call that brings nothing new is a repetition</b>, of a call whose answer was lost on
 *       its way or is not wanted: it is answered from the thread as it was then, without the
 *       answers after it ({@link #storedTo}). Without a witness this applies only to an answer that
 *       was interrupted. A caller that repeats its one message after a whole answer starts a new
 *       turn.
 *   <li><b>A call that goes back leaves what followed.</b> A user's new message behind what the
 *       thread has in its middle starts a branch, in the place of what followed there, unless the
 *       call is a mere tail. A call that goes on with a branch that was left goes back to it.
 *   <li>What precedes the witness is never new: the thread has it, in its own form, or had it
 *       before the part of it that is compared. Where it says something else there, that goes up
 *       ({@link OwnWords}). A message that a failed call left unstored comes after the witness, and
 *       is new.
 * </ol>
 *
 * A list without anything of the thread is new as a whole: a history brought from elsewhere.
 *
 * @param newFrom incoming messages from this index on are new; the number of them if none is
 * @param knownParts of the first new message, the parts at its head that are known: callers that
 *     put neighbours of one role into one message add to what was sent before
 * @param storedTo stored messages up to this index, exclusive, belong before the new ones: all of
 *     them, unless the call is a repetition or goes on with another branch
 * @param branch null if the call goes on with the thread's conversation
 */
public record Alignment(int newFrom, int knownParts, int storedTo, @Nullable Branch branch) {
  /** A call that goes on with the thread's conversation. */
  public Alignment(int newFrom, int knownParts, int storedTo) {
    this(newFrom, knownParts, storedTo, null);
  }

  /**
   * A branch in the place of what the thread has from {@link #storedTo} on.
   *
   * @param storedFrom incoming messages from this index on are to be stored; the thread has those
   *     before it, and they go up in the caller's words, mended as stored ones are
   * @param revived indexes of messages that had been left and belong to the conversation again
   * @param staying indexes of stored messages behind the branch's beginning that are part of it
   * @param lacksThoughts whether the call lacks reasoning that these have
   */
  public record Branch(
      int storedFrom, List<Integer> revived, List<Integer> staying, boolean lacksThoughts) {}

  /**
   * The messages of the thread from the first to the last one that the call has, as indexes.
   *
   * @param to exclusive
   * @param cut whether the call begins with one that is not the first which it is compared with
   */
  public record Known(int from, int to, boolean cut) {}

  /** Index of the first incoming message that is to be stored. */
  public int storedFrom() {
    return branch == null ? newFrom : branch.storedFrom();
  }
}
