package io.memorygateway.format.answer;

import io.memorygateway.figures.Figures;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the gateway reads of every whole answer with a success status.
 *
 * @param usage the tokens that it reports
 */
public record WholeAnswer(Figures usage, Content content) {
  /** Values of Responses' {@code status} of a failed request. */
  private static final Set<String> FAILED = Set.of("failed", "cancelled");

  /** What an answer contains, whatever its format. */
  public enum Content {
    /** Members that hold content, or a number of tokens that was asked for. */
    ANSWER,
    /** An error, and no content beside it. */
    ERROR,
    /** Content of an answer that says of itself that it failed. */
    PART,
    /** None of the members that hold content: an answer of another kind than an endpoint gives. */
    NEITHER
  }

  /** Whether it is no answer, also if something has come of one. */
  public boolean isError() {
    return content == Content.ERROR || content == Content.PART;
  }

  /** Whether the {@code status} of an answer says that it failed, with an error or without. */
  public static boolean isFailed(@Nullable String status) {
    return status != null && FAILED.contains(status);
  }
}
