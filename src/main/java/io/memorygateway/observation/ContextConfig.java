package io.memorygateway.observation;

import io.memorygateway.json.JsonWriter;
import java.time.ZoneId;

/**
 * The limits of what memory adds to a call of a thread, in tokens (contract §8 and §11).
 *
 * @param messageTokens of messages not yet observed, at which the observer runs
 * @param observationTokens of observations, at which the reflector runs
 * @param recallTokens of old messages that are quoted, at most; 0 for none
 * @param recallScope whose messages these are
 * @param timeMarks whether user messages behind a gap in time go upstream with their date
 * @param timeZone of these dates
 */
public record ContextConfig(
    int messageTokens,
    int observationTokens,
    int recallTokens,
    RecallScope recallScope,
    boolean timeMarks,
    ZoneId timeZone) {

  /** Tokens of what encloses a message, as OpenAI counts them for its chat format. */
  public static final int ENVELOPE = 4;

  /** Tokens of the line that says how many messages are not shown, and of what encloses it. */
  public static final int ELISION_LINE = 24;

  /** Tokens of the text around observations, approximately. */
  private static final long FRAME = 150;

  /** The most tokens that memory adds to a call. */
  public long bound() {
    return 6 * thresholds() / 5;
  }

  /** The most tokens of the bound that observations take, their frame included. */
  public long maxObservationTokens() {
    return observationTokens + Math.max(thresholds() / 10, Math.min(FRAME, spare()));
  }

  /**
   * The most tokens of the bound that what is known of the resource takes, its frame included: what
   * is left beside the observations and messages within their threshold.
   *
   * @param resourceTokens of what is kept of a resource
   * @param observations tokens of the observations, their frame included
   */
  public long maxKnownTokens(int resourceTokens, long observations) {
    return Math.min(resourceTokens + FRAME, tokensBeside(observations) - messageTokens);
  }

  /** Approximate tokens of the context that a log of so many tokens takes, its frame included. */
  long framed(long log) {
    return log == 0 ? 0 : Math.min(log + FRAME, maxObservationTokens());
  }

  /**
   * Tokens that unobserved messages leave free for recall, so that it works also where these are
   * many; at most half of what the bound allows beyond the thresholds, so that messages within the
   * thresholds are still sent.
   */
  public long reservedForRecall() {
    return Math.max(0, Math.min(recallTokens, (spare() - FRAME) / 2));
  }

  /** Tokens that messages may take beside observations of so many tokens. */
  public long tokensBeside(long observations) {
    return Math.max(0, bound() - observations - reservedForRecall() - ELISION_LINE);
  }

  /**
   * Whether the unobserved messages are more than what goes upstream beside the observations
   * (contract §8).
   *
   * @param log tokens of the observations
   * @param pending tokens of the messages
   * @param messages number of the messages
   */
  boolean overflows(long log, long pending, long messages) {
    return pending + ENVELOPE * messages > tokensBeside(framed(log));
  }

  /** Tokens that the bound allows beyond the thresholds. */
  private long spare() {
    return bound() - thresholds();
  }

  private long thresholds() {
    return (long) messageTokens + observationTokens;
  }

  /**
   * The configuration as the API shows it: the thresholds, and of the other members those that the
   * thread has configured itself, so that clients which know only thresholds see nothing new.
   */
  byte[] toJson(ThreadConfig own) {
    JsonWriter out =
        new JsonWriter(128)
            .ascii("{\"messageTokens\":")
            .number(messageTokens)
            .ascii(",\"observationTokens\":")
            .number(observationTokens);
    if (own.recallTokens() != null) {
      out.ascii(",\"recallTokens\":").number(recallTokens);
    }
    if (own.recallScope() != null) {
      out.ascii(",\"recallScope\":").string(recallScope.wireName());
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
