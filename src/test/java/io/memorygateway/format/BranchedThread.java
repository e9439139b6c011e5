package io.memorygateway.format;

import io.memorygateway.format.align.Alignment;
import io.memorygateway.format.align.Left;
import io.memorygateway.format.align.NormalForm;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.content.StoredMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** The messages of a thread, of which some are superseded. */
final class BranchedThread {
  private final List<StoredMessage> all = new ArrayList<>();
  private final Set<Integer> superseded = new TreeSet<>();

  /** The numbers of the messages that are superseded, or of those that are not. */
  private List<Integer> numbers(boolean isLeft) {
    return IntStream.range(0, all.size())
        .filter(at -> superseded.contains(at) == isLeft)
        .boxed()
        .toList();
  }

  List<StoredMessage> live() {
    return numbers(false).stream().map(all::get).toList();
  }

  Conversation.Aligned align(Conversation call) {
    List<Integer> live = numbers(false);
    List<Left> left = new ArrayList<>();
    for (int at : numbers(true)) {
      int behind = (int) live.stream().filter(number -> number < at).count();
      left.add(new Left(NormalForm.of(all.get(at)), behind));
    }
    return call.align(Talk.forms(live()), left);
  }

  /** Whether each question is stored once. */
  boolean isStoredOnce() {
    List<String> words = new ArrayList<>();
    for (StoredMessage message : all) {
      if (message.isOfUser()) {
        words.addAll(WhatGoesUpPropertyTest.words(message.content()));
      }
    }
    return words.size() == Set.copyOf(words).size();
  }

  void store(Conversation.Aligned turn, List<StoredMessage> answer) {
    List<Integer> live = numbers(false);
    List<Integer> left = numbers(true);
    Alignment alignment = turn.alignment();
    superseded.addAll(live.subList(alignment.storedTo(), live.size()));
    Alignment.Branch branch = alignment.branch();
    if (branch != null) {
      branch.revived().forEach(number -> superseded.remove(left.get(number)));
      branch.staying().forEach(number -> superseded.remove(live.get(number)));
    }
    all.addAll(turn.asked());
    all.addAll(answer);
  }

  @Override
  public String toString() {
    return all + " superseded " + superseded;
  }
}
