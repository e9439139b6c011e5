package io.memorygateway.format.align;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The answers of one turn that a client keeps as one text, as chat pages do with those of a tool
 * loop: that is compared as the answers that it joins; and the words of one that is spoken, as
 * that.
 */
final class JoinedAnswers {
  /** Answers in a row, as indexes of the list of all. */
  private record Range(int from, int to) {}

  private final List<NormalForm> answers = new ArrayList<>();
  private final Set<Words> single = new HashSet<>();
  private final Map<Words, Range> joined = new HashMap<>();
  private final Map<Words, NormalForm> spoken = new HashMap<>();

  private JoinedAnswers(List<NormalForm> stored) {
    Words said = Words.NONE;
    int first = 0;
    for (NormalForm message : stored) {
      if (message.ofModel() && !message.words().equals(Words.NONE)) {
        answers.add(message);
        if (message.isSpoken()) {
          spoken.put(message.words(), message);
        } else {
          single.add(message.words());
        }
        said = said.and(message.words());
        if (answers.size() - first > 1) {
          joined.put(said, new Range(first, answers.size()));
        }
      } else if (message.atoms().stream().anyMatch(atom -> atom.kind() == Atom.Kind.USER)) {
        said = Words.NONE;
        first = answers.size();
      }
    }
  }

  /** The messages of a call as they are compared. */
  static List<NormalForm> apart(List<NormalForm> incoming, List<NormalForm> stored) {
    boolean asked = true;
    boolean isJoined = false;
    for (NormalForm message : incoming) {
      isJoined |= asked && isAnswer(message);
      asked = message.isOfUser() || (asked && message.isSilent());
    }
    return isJoined ? new JoinedAnswers(stored).apart(incoming) : incoming;
  }

  private static boolean isAnswer(NormalForm message) {
    return message.ofModel()
        && message.size() == 1
        && message.atoms().get(0).kind() == Atom.Kind.ANSWER;
  }

  private List<NormalForm> apart(List<NormalForm> incoming) {
    if (joined.isEmpty() && spoken.isEmpty()) {
      return incoming;
    }
    List<NormalForm> all = new ArrayList<>(incoming.size());
    for (NormalForm message : incoming) {
      boolean apart = isAnswer(message) && !single.contains(message.words());
      Range range = apart ? joined.get(message.words()) : null;
      NormalForm same = apart ? spoken.getOrDefault(message.words(), message) : message;
      all.add(range == null ? same : NormalForm.of(answers.subList(range.from(), range.to())));
    }
    return all;
  }
}
