package io.memorygateway.format.answer;

import io.memorygateway.figures.Figures;

/**
 * What the gateway reads of every whole answer with a success status.
 *
 * @param usage the tokens that it reports
 */
public record WholeAnswer(Figures usage, Content content) {
  /** What an answer contains, whatever its format. */
  public enum Content {
    /** Members that hold content, or a number of tokens that was asked for. */
    ANSWER,
    /** An error, and no content beside it. */
    ERROR,
    /** None of the members that hold content: an answer of another kind than an endpoint gives. */
    NEITHER
  }
}
