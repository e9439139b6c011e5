package io.memorygateway.format.align;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
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

  /** By their words, the answers that one message has, the first one first. */
  private final Map<Words, Deque<NormalForm>> said = new HashMap<>();

  /** Whether one of them is spoken. */
  private boolean spoken;

  private JoinedAnswers(List<NormalForm> stored) {
    Words inTurn = Words.NONE;
    int first = 0;
    for (NormalForm message : stored) {
      if (message.ofModel() && !message.words().equals(Words.NONE)) {
        answers.add(message);
        answersOf(message.words()).add(message);
        spoken |= message.isSpoken();
        if (!message.isSpoken()) {
          single.add(message.words());
        }
        inTurn = inTurn.and(message.words());
        if (answers.size() - first > 1) {
          joined.put(inTurn, new Range(first, answers.size()));
        }
      } else if (message.atoms().stream().anyMatch(atom -> atom.kind() == Atom.Kind.USER)) {
        inTurn = Words.NONE;
        first = answers.size();
      }
    }
  }

  private Deque<NormalForm> answersOf(Words words) {
    return said.computeIfAbsent(words, first -> new ArrayDeque<>());
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
    if (joined.isEmpty() && !spoken) {
      return incoming;
    }
    List<NormalForm> all = new ArrayList<>(incoming.size());
    for (NormalForm message : incoming) {
      NormalForm same = isAnswer(message) ? answersOf(message.words()).poll() : null;
      boolean apart = isAnswer(message) && !single.contains(message.words());
      Range range = apart ? joined.get(message.words()) : null;
      NormalForm compared = same != null && same.isSpoken() ? same : message;
      all.add(range == null ? compared : NormalForm.of(answers.subList(range.from(), range.to())));
    }
    return all;
  }
}
