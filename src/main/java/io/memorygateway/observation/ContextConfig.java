package io.memorygateway.observation;

import io.memorygateway.json.JsonOut;
import java.time.ZoneId;

/**
 * The limits of what memory adds to a call of a thread, in tokens (contract §8 and §11).
 *
 * @param messageTokens of messages not yet observed, at which the observer runs
 * @param observationTokens of observations, at which the reflector runs
 * @param recallTokens of old messages that are quoted, at most; 0 for none
 * @param timeMarks whether user messages behind a gap in time go upstream with their date
 * @param timeZone of these dates
 */
public record ContextConfig(
    int messageTokens,
    int observationTokens,
    int recallTokens,
    boolean timeMarks,
    ZoneId timeZone) {

  /** Tokens of what encloses a message, as OpenAI counts them for its chat format. */
  public static final int ENVELOPE = 4;

  /** Tokens of the line that says how many messages are not shown, and of what encloses it. */
  public static final int ELISION_LINE = 24;

  /** Tokens of the text around observations, about. */
  private static final long FRAME = 150;

  /** All that memory may add to a call. */
  public long bound() {
    return 6 * thresholds() / 5;
  }

  /** What observations may take of it, with what frames them. */
  public long mostOfObservations() {
    return observationTokens + Math.max(thresholds() / 10, Math.min(FRAME, spare()));
  }

  /** What a log of so many tokens takes of the context, about. */
  long framed(long log) {
    return log == 0 ? 0 : Math.min(log + FRAME, mostOfObservations());
  }

  /**
   * What is left free for recall by the messages that are not yet observed, so that it has room
   * also where they are many; never so much that it would take room from those that are not late.
   */
  public long reservedForRecall() {
    return Math.max(0, Math.min(recallTokens, (spare() - FRAME) / 2));
  }

  /** What messages may take beside observations of so many tokens. */
  public long roomBeside(long observations) {
    return Math.max(0, bound() - observations - reservedForRecall() - ELISION_LINE);
  }

  /** What the bound allows beyond the thresholds. */
  private long spare() {
    return bound() - thresholds();
  }

  private long thresholds() {
    return (long) messageTokens + observationTokens;
  }

  /**
   * As the API shows it: the thresholds, and of the rest what the thread has configured itself, so
   * that clients which know only thresholds see nothing new.
   */
  byte[] toJson(ThreadConfig own) {
    JsonOut out =
        new JsonOut(128)
            .ascii("{\"messageTokens\":")
            .number(messageTokens)
            .ascii(",\"observationTokens\":")
            .number(observationTokens);
    if (own.recallTokens() != null) {
      out.ascii(",\"recallTokens\":").number(recallTokens);
    }
    if (own.timeMarks() != null) {
      out.ascii(",\"timeMarks\":").ascii(Boolean.toString(timeMarks));
    }
    if (own.timeZone() != null) {
      out.ascii(",\"timeZone\":").string(timeZone.getId());
    }
    return out.ascii("}").toBytes();
  }
}
