package io.memorygateway.memory.write;

import io.memorygateway.memory.rows.Appended;
import io.memorygateway.memory.rows.LastCall;
import org.jspecify.annotations.Nullable;

/**
 * The call that a whole turn answers, stored with it so that the same call finds the answer.
 *
 * @param hash as in {@link LastCall}, like the next one
 * @param before end of the last call that the thread had when this one was received; 0 for none
 * @param asked how many of the turn's messages stand before its answer
 */
public record TurnCall(String hash, boolean again, long before, int asked) {
  /** What was stored, with this call at the thread's end. */
  Appended at(Appended stored) {
    long end = stored.thread().nextSeq();
    long answer = asked < stored.messages().size() ? stored.messages().get(asked).seq() : end;
    LastCall last = new LastCall(hash, again, answer, end);
    return new Appended(stored.thread().with(last), stored.messages(), stored.found());
  }

  /**
   * Whether another attempt of this call has been stored while this one was made. Who says the same
   * twice means it, unless it is only to be summed up.
   */
  boolean wasStoredAs(@Nullable LastCall last) {
    return last != null
        && last.end() > before
        && last.hash().equals(hash)
        && (again || last.again() || last.isUnanswered());
  }

  TurnCall asking(int messages) {
    return new TurnCall(hash, again, before, messages);
  }
}
