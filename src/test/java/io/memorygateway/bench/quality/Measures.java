package io.memorygateway.bench.quality;

import java.util.Locale;

/** Means over questions of what contexts retain, in per cent. */
final class Measures {
  private double evidence;
  private int questions;
  private double answers;
  private int answered;
  private int held;
  private int shortOnes;
  private int temporalHeld;
  private int temporal;
  private double size;
  private int sizes;

  /** Takes the size of a context as a share of its conversation. */
  void size(double share) {
    size += share;
    sizes++;
  }

  void add(Retained retained, Conversation.Question question) {
    evidence += retained.evidence(question);
    questions++;
    double answer = retained.answer(question);
    if (answer >= 0) {
      answers += answer;
      answered++;
    }
    if (Retained.isShort(question)) {
      boolean holds = retained.holdsAnswer(question);
      shortOnes++;
      held += holds ? 1 : 0;
      temporal += question.temporal() ? 1 : 0;
      temporalHeld += question.temporal() && holds ? 1 : 0;
    }
  }

  double meanSize() {
    return 100 * size / Math.max(1, sizes);
  }

  double meanEvidence() {
    return 100 * evidence / Math.max(1, questions);
  }

  static String header() {
    return String.format(
        Locale.ROOT,
        "%-44s %6s %9s %8s %6s %9s",
        "context",
        "size",
        "evidence",
        "answers",
        "short",
        "temporal");
  }

  String row(String name) {
    return String.format(
        Locale.ROOT,
        "%-44s %6.1f %9.1f %8.1f %6.1f %9.1f",
        name,
        meanSize(),
        meanEvidence(),
        100 * answers / Math.max(1, answered),
        100.0 * held / Math.max(1, shortOnes),
        100.0 * temporalHeld / Math.max(1, temporal));
  }
}
