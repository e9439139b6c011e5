package io.memorygateway.observation;

import io.memorygateway.format.content.MessagePiece;
import io.memorygateway.observation.text.UnobservedMessage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds where a list of messages may be cut: never between a call of a tool and its result, and not
 * behind a call whose result may still come (contract §7).
 */
final class ToolCuts {
  /** Number of later messages after which a call is assumed to get no result any more. */
  private static final int ABANDONED_AFTER_MESSAGES = 100;

  private static final Deque<Integer> NONE = new ArrayDeque<>();

  private ToolCuts() {}

  /**
   * The numbers of messages, from 1, behind which a cut may be made, in order.
   *
   * @param messages in their order, up to the end of the thread or of the part in question
   */
  static List<Integer> of(List<UnobservedMessage> messages) {
    int[] reach = reach(messages);
    List<Integer> cuts = new ArrayList<>();
    int furthest = -1;
    for (int at = 0; at < reach.length; at++) {
      furthest = Math.max(furthest, reach[at]);
      if (furthest <= at) {
        cuts.add(at + 1);
      }
    }
    return cuts;
  }

  /** Index of a message → index of the last message that it must stay together with. */
  private static int[] reach(List<UnobservedMessage> messages) {
    int[] reach = new int[messages.size()];
    Map<String, Deque<Integer>> open = new HashMap<>();
    // The last calls, which the model made together, and how many results without an id follow.
    List<String> last = new ArrayList<>();
    int first = 0;
    int nameless = 0;
    int unnamed = 0; // of the last calls, those that no result has named
    int begin = 0;
    int lastOfUser = -1;
    for (int at = 0; at < reach.length; at++) {
      reach[at] = at;
      begin = messages.get(at).role().equals("assistant") ? begin : at + 1;
      for (MessagePiece piece : messages.get(at).pieces()) {
        if (piece instanceof MessagePiece.ToolCall call) {
          if (last.isEmpty() || first < begin) {
            answer(last, nameless, open);
            last.clear();
            first = at;
            nameless = 0;
            unnamed = 0;
          }
          last.add(call.id());
          unnamed++;
          open.computeIfAbsent(call.id(), id -> new ArrayDeque<>()).add(at);
        } else if (piece instanceof MessagePiece.ToolResult result) {
          Deque<Integer> calls = open.get(result.id());
          Integer call = calls == null ? null : calls.poll();
          if (call != null && call >= first) {
            unnamed--;
          } else if (call == null && result.id().isEmpty() && nameless < unnamed) {
            nameless++;
            call = first;
          }
          if (call != null) {
            reach[call] = Math.max(reach[call], at);
          }
        } else if (messages.get(at).role().equals("user")) {
          lastOfUser = at;
        }
      }
    }
    answer(last, nameless, open);
    for (Deque<Integer> calls : open.values()) {
      for (int call : calls) {
        // Once the user has gone on, nobody waits for the result.
        if (lastOfUser < call && reach.length - call <= ABANDONED_AFTER_MESSAGES) {
          reach[call] = Integer.MAX_VALUE;
        }
      }
    }
    return reach;
  }

  /** Takes away so many calls that no result names: the results without an id are of these. */
  private static void answer(List<String> last, int nameless, Map<String, Deque<Integer>> open) {
    int rest = nameless;
    for (String id : last) {
      if (rest > 0 && open.getOrDefault(id, NONE).poll() != null) {
        rest--;
      }
    }
  }
}
