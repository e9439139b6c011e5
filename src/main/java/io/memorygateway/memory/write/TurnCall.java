package io.memorygateway.memory.write;

import io.memorygateway.memory.rows.Appended;
import io.memorygateway.memory.rows.LastCall;
import io.memorygateway.memory.rows.MessageRow;
import org.jspecify.annotations.Nullable;

/**
 * The call that a turn answers, stored with it so that the same call finds the answer.
 *
 * @param hash as in {@link LastCall}, like the next one
 * @param keyed whether it has an Idempotency-Key, by which its attempts are told
 * @param before end of the last call that the thread had when this one was received; 0 for none
 * @param asked how many of the turn's messages stand before its answer
 * @param empty whether its answer is whole, to be stored, and has nothing
 * @param told its answer without the messages; null if the same call does not get it again
 */
public record TurnCall(
    String hash,
    boolean again,
    boolean keyed,
    long before,
    int asked,
    boolean empty,
    @Nullable String told) {
  /** Characters; in UTF-8 they fit into their column. */
  private static final int MAX_TOLD = 20 << 10;

  /** A call whose answer broke off, or is not to be stored. */
  public TurnCall(String hash, boolean again, boolean keyed, long before, int asked) {
    this(hash, again, keyed, before, asked, false, null);
  }

  /** The same call with a whole answer that is to be stored. */
  public TurnCall answered(boolean withNothing, String answer) {
    String kept = answer.length() > MAX_TOLD ? null : answer;
    return new TurnCall(hash, again, keyed, before, asked, withNothing, kept);
  }

  /** What was stored, with this call at the thread's end. */
  Appended at(Appended stored) {
    boolean broken = stored.messages().stream().anyMatch(MessageRow::incomplete);
    long end = stored.thread().nextSeq();
    long answer = asked < stored.messages().size() ? stored.messages().get(asked).seq() : end;
    String behindEnd = told == null ? null : end + " " + told;
    LastCall last = new LastCall(hash, again, answer, end, broken, behindEnd);
    return new Appended(stored.thread().with(last), stored.messages(), stored.found());
  }

  /** Whether the same call has been stored while this one was made. */
  boolean isOf(@Nullable LastCall last) {
    return last != null && last.end() > before && last.hash().equals(hash);
  }

  /**
   * Whether that was another attempt of this one. Who says the same twice means it, unless the
   * first one broke off, or it is only to be summed up.
   */
  boolean wasStoredAs(@Nullable LastCall last, boolean broken) {
    return last != null
        && isOf(last)
        && (again || last.again() || (broken ? !keyed : last.isUnanswered()));
  }

  TurnCall asking(int messages) {
    return new TurnCall(hash, again, keyed, before, messages, empty, told);
  }
}
