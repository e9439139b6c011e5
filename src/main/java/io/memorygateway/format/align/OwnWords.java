package io.memorygateway.format.align;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a call says otherwise than its thread where both stand in the same place: it goes up as the
 * caller sends it, and is not stored again.
 *
 * @param head number of messages at the call's beginning that the thread does not have, although
 *     what follows them is known: a summary, or what the caller puts before the thread
 * @param instead number of the thread's first compared messages in whose place they go up
 * @param changed by the index of a stored message, that of the call's message in its place
 * @param between messages of the user that the call has between two which are neighbours in the
 *     thread
 */
public record OwnWords(int head, int instead, Map<Integer, Integer> changed, Set<Integer> between) {
  static final OwnWords NONE = new OwnWords(0, 0, Map.of(), Set.of());

  /** The most messages of a summary: more may be a history that begins before what is compared. */
  static final int MAX_HEAD = 8;

  /**
   * What a call says otherwise among its messages that are known.
   *
   * @param firsts by the index of a known message, that of the first of the thread's messages in
   *     its place, or -1
   * @param places by the same index, that of the last of them
   * @param same by the same index, whether both say the same
   * @param storedTo number of the thread's messages that go up
   */
  static OwnWords of(
      List<NormalForm> call,
      List<NormalForm> stored,
      int[] firsts,
      int[] places,
      boolean[] same,
      int storedTo) {
    int head = 0;
    while (head < places.length && (places[head] < 0 || !same[head])) {
      head++;
    }
    if (head == places.length) {
      return NONE;
    }
    int before = before(call, firsts);
    boolean isSame = saysTheSame(call.subList(0, head), stored.subList(0, firsts[head]));
    boolean isSummary = !isSame && before == 0 && isSummary(call, stored, head, firsts[head]);
    Map<Integer, Integer> changed = new TreeMap<>();
    Set<Integer> between = new TreeSet<>();
    for (int message = isSummary || isSame ? head : 0; message < places.length; message++) {
      NormalForm said = call.get(message);
      int place = places[message];
      if (place < 0) {
        place = said.isOfUser() ? placeBetween(call, stored, firsts, places, message) : -1;
      } else if (said.isOfUser()
          ? !hasOtherParts(call, stored, firsts, places, message)
          : said.size() != stored.get(place).size()
              || !(same[message]
                  ? said.hasMoreThoughts(stored.get(place))
                  : firsts[message] == place)) {
        place = -1;
      }
      if (place >= 0 && place < storedTo) {
        changed.put(place, message);
      } else if (places[message] < 0 && isBetween(call, stored, firsts, places, message)) {
        between.add(message);
      }
    }
    return new OwnWords(isSummary ? head : before, isSummary ? firsts[head] : 0, changed, between);
  }

  /**
   * Whether a message of the user's has other parts than the one in its place, and none of them is
   * what the user says in a message that the call lacks before it: some clients join these.
   */
  private static boolean hasOtherParts(
      List<NormalForm> call, List<NormalForm> stored, int[] firsts, int[] places, int message) {
    int place = places[message];
    int before = message - 1;
    while (before >= 0 && places[before] < 0) {
      before--;
    }
    int next = message + 1;
    while (next < places.length && places[next] < 0) {
      next++;
    }
    int behind = before < 0 ? 0 : places[before] + 1;
    List<Atom> known = stored.get(place).atoms();
    if (firsts[message] != place
        || behind > place
        || (next < places.length && firsts[next] == place)
        || !stored.get(place).isOfUser()
        || call.get(message).atoms().equals(known)) {
      return false;
    }
    Set<Atom> others = new HashSet<>(call.get(message).atoms());
    known.forEach(others::remove);
    return stored.subList(behind, place).stream()
        .noneMatch(each -> each.isOfUser() && others.containsAll(each.atoms()));
  }

  /**
   * Whether words of the user's are those directly before a place, as more messages or fewer: as
   * they are stored they go up, for there is more before them.
   */
  private static boolean saysTheSame(List<NormalForm> said, List<NormalForm> before) {
    List<NormalForm> own = said.stream().filter(each -> !each.isSilent()).toList();
    if (own.isEmpty() || own.size() > MAX_HEAD || !own.stream().allMatch(NormalForm::isText)) {
      return false;
    }
    Words words = own.stream().map(NormalForm::words).reduce(Words.NONE, Words::and);
    Words stored = Words.NONE;
    int number = 0;
    for (int at = before.size() - 1; at > 0 && number < MAX_HEAD; at--) {
      NormalForm message = before.get(at);
      if (!message.isSilent()) {
        if (!message.isText()) {
          return false;
        }
        number++;
        stored = message.words().and(stored);
        if (stored.equals(words)) {
          return number != own.size();
        }
      }
    }
    return false;
  }

  /** Whether a text of the user's is of few between neighbours of the thread. */
  private static boolean isBetween(
      List<NormalForm> call, List<NormalForm> stored, int[] firsts, int[] places, int message) {
    int before = message - 1;
    while (before >= 0 && places[before] < 0 && message - before <= MAX_HEAD) {
      before--;
    }
    int next = message + 1;
    while (next < places.length && places[next] < 0 && next - before <= MAX_HEAD) {
      next++;
    }
    if (before < 0
        || places[before] < 0
        || next == places.length
        || places[next] < 0
        || !call.get(before + 1).isOfUser()
        || !call.get(message).isText()) {
      return false;
    }
    return usersBefore(stored, firsts[next] - 1, places[before]) == places[before];
  }

  /** The last of the user's messages up to an index; what others did meanwhile is passed over. */
  private static int usersBefore(List<NormalForm> stored, int from, int least) {
    int at = from;
    while (at > least && !stored.get(at).isOfUser()) {
      at--;
    }
    return at;
  }

  /** Number of messages that the caller puts before the first of the thread's compared ones. */
  private static int before(List<NormalForm> call, int[] firsts) {
    int before = 0;
    while (before < firsts.length && firsts[before] < 0) {
      before++;
    }
    boolean isFirst = before < firsts.length && firsts[before] == 0;
    NormalForm said = call.get(0);
    // Others are parts of a history that was cut.
    return isFirst && (said.isOfUser() || !said.words().equals(Words.NONE)) ? before : 0;
  }

  /**
   * Whether the messages at the call's beginning are new words in the place of what the thread has
   * there: not the thread's own, of which some were dropped, nor other words for the one before.
   */
  private static boolean isSummary(
      List<NormalForm> call, List<NormalForm> stored, int head, int place) {
    if (head == 0 || head > MAX_HEAD || place == 0 || !call.get(0).isOfUser()) {
      return false;
    }
    List<NormalForm> said =
        call.subList(0, head).stream().filter(each -> !each.isSilent()).toList();
    List<NormalForm> before =
        stored.subList(0, place).stream().filter(each -> !each.isSilent()).toList();
    List<List<Atom>> atoms = said.stream().map(NormalForm::atoms).toList();
    boolean isInPlace =
        said.size() == 1 && !before.isEmpty() && before.get(before.size() - 1).isOfUser();
    return (!isInPlace || said.get(0).joins(before)) && !hasAny(before, atoms);
  }

  private static boolean hasAny(List<NormalForm> stored, List<List<Atom>> atoms) {
    return stored.stream().map(NormalForm::atoms).anyMatch(atoms::contains);
  }

  /** The place of the only message between those of the neighbours, if the user's; else -1. */
  private static int placeBetween(
      List<NormalForm> call, List<NormalForm> stored, int[] firsts, int[] places, int message) {
    int next = message + 1;
    while (next < places.length && call.get(next).isSilent()) {
      next++;
    }
    int place = next < places.length ? firsts[next] - 1 : -1;
    while (place >= 0 && stored.get(place).isSilent()) {
      place--;
    }
    int before = message - 1;
    while (before >= 0 && call.get(before).isSilent()) {
      before--;
    }
    boolean isFirst = before < 0;
    if (place < 0 || !stored.get(place).isOfUser()) {
      return -1;
    }
    // The thread's own first words stand first where a client has dropped what followed them.
    boolean isBetween =
        isFirst
            ? !hasAny(stored.subList(0, place), List.of(call.get(message).atoms()))
            : places[before] >= 0
                && usersBefore(stored, place - 1, places[before]) == places[before];
    return isBetween ? place : -1;
  }
}
