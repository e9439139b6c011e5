package io.memorygateway.turn;

import io.memorygateway.format.Format;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.fourth.FourthFormat;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What a client and a provider say, in the formats, and in one that only tests know. */
enum TalkWire {
  CHAT(new ChatFormat()),
  MESSAGES(new MessagesFormat()),
  RESPONSES(new ResponsesFormat()),
  FOURTH(new FourthFormat());

  /**
   * A piece of a conversation.
   *
   * @param kind u for the user's words, a for an answer's, c for a call, r for a result
   * @param id of a call and its result
   * @param first what it was before its client altered it
   */
  record Said(char kind, String text, String id, String first) {
    static Said user(String text) {
      return new Said('u', text, "", text);
    }

    static Said answer(String text) {
      return new Said('a', text, "", text);
    }

    static Said call(String id) {
      return new Said('c', "", id, "");
    }

    static Said result(String id, String text) {
      return new Said('r', text, id, text);
    }

    Said altered(String other) {
      return new Said(kind, other, id, first);
    }

    Said original() {
      return altered(first);
    }

    boolean ofModel() {
      return kind == 'a' || kind == 'c';
    }

    @Override
    public String toString() {
      return kind + ":" + id + text;
    }
  }

  @SuppressWarnings("ImmutableEnumChecker") // formats are stateless
  private final Format format;

  TalkWire(Format format) {
    this.format = format;
  }

  Format format() {
    return format;
  }

  /** A request with a conversation. */
  String body(List<Said> said) {
    List<String> messages = new ArrayList<>();
    for (List<Said> group : groups(said)) {
      if (this == CHAT && group.get(0).ofModel()) {
        messages.add("{\"role\":\"assistant\"," + chat(group) + "}");
      } else if (this == CHAT) {
        group.forEach(
            each ->
                messages.add(
                    each.kind == 'u'
                        ? "{\"role\":\"user\",\"content\":\"%s\"}".formatted(each.text)
                        : "{\"role\":\"tool\",\"tool_call_id\":\"%s\",\"content\":\"%s\"}"
                            .formatted(each.id, each.text)));
      } else if (this == FOURTH && group.get(0).ofModel()) {
        messages.add(
            "{\"by\":\"model\",\"content\":\"%s\",\"asks\":[%s]}"
                .formatted(
                    text(group), calls(group, "{\"key\":\"%s\",\"tool\":\"f\",\"with\":{}}")));
      } else if (this == FOURTH) {
        group.forEach(
            each ->
                messages.add(
                    each.kind == 'u'
                        ? "{\"by\":\"human\",\"content\":\"%s\"}".formatted(each.text)
                        : "{\"by\":\"tool\",\"key\":\"%s\",\"content\":\"%s\"}"
                            .formatted(each.id, each.text)));
      } else if (this == MESSAGES) {
        String role = group.get(0).ofModel() ? "assistant" : "user";
        messages.add("{\"role\":\"%s\",\"content\":%s}".formatted(role, blocks(group)));
      } else {
        group.forEach(each -> messages.add(item(each, false)));
      }
    }
    return "{\"model\":\"m\",%s\"%s\":[%s]}"
        .formatted(
            this == MESSAGES ? "\"max_tokens\":9,\"tools\":[{\"name\":\"f\"}]," : "",
            format.inputMember(),
            String.join(",", messages));
  }

  /** A whole answer. */
  String answer(List<Said> said) {
    return switch (this) {
      case CHAT ->
          "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",%s}}]}"
              .formatted(chat(said));
      case MESSAGES -> "{\"role\":\"assistant\",\"content\":%s}".formatted(blocks(said));
      case FOURTH -> fourth(said);
      case RESPONSES ->
          "{\"status\":\"completed\",\"output\":[%s]}"
              .formatted(
                  said.stream().map(each -> item(each, true)).collect(Collectors.joining(",")));
    };
  }

  private static List<List<Said>> groups(List<Said> said) {
    List<List<Said>> groups = new ArrayList<>();
    for (Said each : said) {
      boolean isNew =
          groups.isEmpty() || groups.get(groups.size() - 1).get(0).ofModel() != each.ofModel();
      if (isNew) {
        groups.add(new ArrayList<>());
      }
      groups.get(groups.size() - 1).add(each);
    }
    return groups;
  }

  private static String text(List<Said> answer) {
    return answer.stream()
        .filter(each -> each.kind == 'a')
        .map(Said::text)
        .collect(Collectors.joining());
  }

  private static String calls(List<Said> answer, String call) {
    return answer.stream()
        .filter(each -> each.kind == 'c')
        .map(each -> call.formatted(each.id))
        .collect(Collectors.joining(","));
  }

  private static String chat(List<Said> answer) {
    String text = text(answer);
    String calls =
        calls(
            answer,
            "{\"id\":\"%s\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}");
    return "\"content\":"
        + (text.isEmpty() ? "null" : "\"" + text + "\"")
        + (calls.isEmpty() ? "" : ",\"tool_calls\":[" + calls + "]");
  }

  private static String fourth(List<Said> said) {
    StringBuilder lines = new StringBuilder("{\"kind\":\"start\",\"key\":\"k\"}");
    for (int piece = 0; piece < said.size(); piece++) {
      Said each = said.get(piece);
      lines.append(
          each.kind == 'c'
              ? ",{\"kind\":\"ask\",\"piece\":%d,\"key\":\"%s\",\"tool\":\"f\"},{\"kind\":\"with\",\"piece\":%1$d,\"more\":\"{}\"}"
                  .formatted(piece, each.id)
              : ",{\"kind\":\"text\",\"piece\":%d,\"more\":\"%s\"}".formatted(piece, each.text));
      lines.append(",{\"kind\":\"close\",\"piece\":%d}".formatted(piece));
    }
    return "{\"output\":[%s,{\"kind\":\"end\",\"why\":\"END\",\"usage\":{}}]}".formatted(lines);
  }

  private static String blocks(List<Said> group) {
    if (group.size() == 1 && group.get(0).kind == 'u') {
      return "\"" + group.get(0).text + "\"";
    }
    return group.stream()
        .map(
            each ->
                switch (each.kind) {
                  case 'c' ->
                      "{\"type\":\"tool_use\",\"id\":\"%s\",\"name\":\"f\",\"input\":{}}"
                          .formatted(each.id);
                  case 'r' ->
                      "{\"type\":\"tool_result\",\"tool_use_id\":\"%s\",\"content\":\"%s\"}"
                          .formatted(each.id, each.text);
                  default -> "{\"type\":\"text\",\"text\":\"%s\"}".formatted(each.text);
                })
        .collect(Collectors.joining(",", "[", "]"));
  }

  private static String item(Said each, boolean isAnswer) {
    return switch (each.kind) {
      case 'u' -> "{\"role\":\"user\",\"content\":\"%s\"}".formatted(each.text);
      case 'c' ->
          "{\"type\":\"function_call\",\"call_id\":\"%s\",\"name\":\"f\",\"arguments\":\"{}\"}"
              .formatted(each.id);
      case 'r' ->
          "{\"type\":\"function_call_output\",\"call_id\":\"%s\",\"output\":\"%s\"}"
              .formatted(each.id, each.text);
      default ->
          "{\"type\":\"message\",\"id\":\"msg_%s\",%s\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"%s\"}]}"
              .formatted(each.first, isAnswer ? "\"status\":\"completed\"," : "", each.text);
    };
  }
}
