package io.memorygateway.figures;

import org.jspecify.annotations.Nullable;

/**
 * An attempt of a call that has ended, with its figures; those of the last attempt are the call's.
 *
 * @param provider printable, as is the model
 * @param status that the client received, 499 if it left; for an attempt that another one followed,
 *     its own
 * @param counted who counted its tokens; null if they are not known
 * @param errorType null if it was answered
 */
public record CallFigures(
    String provider,
    String model,
    int status,
    boolean stream,
    Figures values,
    @Nullable Counted counted,
    @Nullable String errorType,
    Attempt attempt) {

  /**
   * What is of the attempt and not of its call.
   *
   * @param number in the call, from 1
   * @param answered whether its answer or error was sent to the client; false: it failed and was
   *     followed by another one
   * @param status its own: if all attempts failed, the client may have received that of another
   */
  public record Attempt(int number, boolean answered, int status, long millis) {}

  /** The same with tokens that the gateway counted. */
  public CallFigures estimated(Figures all) {
    return new CallFigures(
        provider, model, status, stream, all, Counted.ESTIMATED, errorType, attempt);
  }

  /** Whether it is an answer or error that the client received, with status 400 or more. */
  public boolean isError() {
    return attempt.answered && status >= 400;
  }
}
