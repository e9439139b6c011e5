package io.memorygateway.format.translation;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.format.content.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A random conversation with tools, which is written as a call of each format. */
final class GeneratedTalk {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String[] SCRIPTS = {
    "plain",
    "größer",
    "漢字かな",
    "кириллица",
    "العربية",
    "😀 \"quoted\" \\",
    "a\nline\t\u0001",
    "<b>&amp;"
  };

  /** What is said: of the system a text; of others parts. */
  record Said(String role, List<Bit> bits) {}

  /**
   * A part.
   *
   * @param kind {@code text, image, link, file, call, custom, result}
   * @param inner parts of a result
   */
  record Bit(String kind, String id, String text, List<Bit> inner, boolean mark) {}

  final List<Said> said = new ArrayList<>();
  final List<Bit> tools = new ArrayList<>();
  private final Random random;
  private int number;

  GeneratedTalk(Random random) {
    this.random = random;
    for (int i = random.nextInt(3); i > 0; i--) {
      said.add(new Said("system", List.of(text())));
    }
    for (int i = 0; i < 4; i++) {
      tools.add(new Bit("function", "", "tool_" + i, List.of(), random.nextInt(6) == 0));
    }
    tools.add(new Bit("function", "", "srv.naïve/" + "x".repeat(70), List.of(), false));
    tools.add(new Bit("custom", "", "patch", List.of(), false));
    for (int turns = 1 + random.nextInt(6); turns > 0; turns--) {
      turn();
    }
    said.add(new Said("user", List.of(text())));
  }

  private void turn() {
    List<Bit> asked = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      asked.add(
          switch (random.nextInt(6)) {
            case 0 -> bit("image", "");
            case 1 -> bit("link", "");
            case 2 -> bit("file", "");
            default -> text();
          });
    }
    said.add(new Said("user", asked));
    if (random.nextInt(5) == 0) {
      said.add(new Said("system", List.of(text())));
    }
    for (int rounds = random.nextInt(3); rounds > 0; rounds--) {
      List<Bit> answer = new ArrayList<>();
      List<Bit> results = new ArrayList<>();
      if (random.nextBoolean()) {
        answer.add(text());
      }
      for (int calls = random.nextInt(3); calls >= 0; calls--) {
        Bit tool = tools.get(random.nextInt(tools.size()));
        boolean custom = tool.kind.equals("custom");
        String id = "call_" + number++ + (random.nextInt(8) == 0 ? "y".repeat(50) : "");
        String input = custom ? token() : "{\"a\":[" + number + ",1.0],\"t\":\"ü\"}";
        answer.add(
            new Bit(custom ? "custom" : "call", id, tool.text, List.of(bit("in", input)), false));
        List<Bit> inner = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
          inner.add(random.nextInt(4) == 0 ? bit("image", "") : text());
        }
        boolean failed = random.nextInt(5) == 0;
        results.add(
            new Bit("result", id, failed ? "failed" : custom ? "custom" : "", inner, false));
      }
      said.add(new Said("assistant", answer));
      said.add(new Said("tool", results));
    }
    said.add(new Said("assistant", List.of(text())));
  }

  private String token() {
    return "t" + number++ + "~ " + SCRIPTS[random.nextInt(SCRIPTS.length)];
  }

  private Bit text() {
    return new Bit("text", "", token(), List.of(), random.nextInt(7) == 0);
  }

  private Bit bit(String kind, String text) {
    return new Bit(kind, "", text.isEmpty() ? "i" + number++ : text, List.of(), false);
  }

  /** The same conversation up to a message. */
  List<Said> until(int end) {
    return said.subList(0, end);
  }

  /** The call with these messages in a format. */
  ObjectNode body(Shape format, List<Said> messages, boolean marks) {
    ObjectNode body = JSON.createObjectNode().put("model", "asked");
    ArrayNode list = body.putArray(format == Shape.RESPONSES ? "input" : "messages");
    boolean begun = false;
    for (Said one : messages) {
      if (format == Shape.MESSAGES && one.role.equals("system") && !begun) {
        block(body.withArray("system").addObject(), format, one.bits.get(0), "system", marks);
        continue;
      }
      begun = true;
      switch (format) {
        case CHAT -> chat(list, one, marks);
        case MESSAGES -> messages(list, one, marks);
        default -> responses(list, one, marks);
      }
    }
    ArrayNode offered = body.putArray("tools");
    for (Bit tool : tools) {
      ObjectNode into = offered.addObject();
      boolean custom = tool.kind.equals("custom") && format != Shape.MESSAGES;
      if (format != Shape.MESSAGES) {
        into.put("type", custom ? "custom" : "function");
      }
      if (format == Shape.CHAT) {
        into = into.putObject(custom ? "custom" : "function");
      }
      into.put("name", tool.text).put("description", "does");
      if (!custom) {
        into.putObject(format == Shape.MESSAGES ? "input_schema" : "parameters")
            .put("type", "object")
            .putObject("properties")
            .putObject("a")
            .put("type", "array");
      }
    }
    return body;
  }

  private void chat(ArrayNode list, Said one, boolean marks) {
    if (one.role.equals("tool")) {
      for (Bit result : one.bits) {
        ObjectNode message = list.addObject().put("role", "tool").put("tool_call_id", result.id);
        ArrayNode content = message.putArray("content");
        result.inner.stream()
            .filter(bit -> bit.kind.equals("text"))
            .forEach(bit -> block(content.addObject(), Shape.CHAT, bit, "tool", marks));
        if (content.isEmpty()) {
          message.put("content", "");
        }
      }
      return;
    }
    ObjectNode message = list.addObject().put("role", one.role);
    if (one.bits.size() == 1 && one.bits.get(0).kind.equals("text") && !one.bits.get(0).mark) {
      message.put("content", one.bits.get(0).text);
      return;
    }
    for (Bit bit : one.bits) {
      if (bit.kind.equals("call") || bit.kind.equals("custom")) {
        boolean custom = bit.kind.equals("custom");
        message
            .withArray("tool_calls")
            .addObject()
            .put("id", bit.id)
            .put("type", custom ? "custom" : "function")
            .putObject(custom ? "custom" : "function")
            .put("name", bit.text)
            .put(custom ? "input" : "arguments", bit.inner.get(0).text);
      } else if (one.role.equals("assistant")) {
        message.put("content", bit.text);
      } else {
        block(message.withArray("content").addObject(), Shape.CHAT, bit, one.role, marks);
      }
    }
  }

  private void messages(ArrayNode list, Said one, boolean marks) {
    boolean user = one.role.equals("user") || one.role.equals("tool");
    ObjectNode message = list.addObject().put("role", user ? "user" : one.role);
    for (Bit bit : one.bits) {
      block(message.withArray("content").addObject(), Shape.MESSAGES, bit, one.role, marks);
    }
  }

  private void responses(ArrayNode list, Said one, boolean marks) {
    ArrayNode content = null;
    for (Bit bit : one.bits) {
      switch (bit.kind) {
        case "call" ->
            list.addObject()
                .put("type", "function_call")
                .put("call_id", bit.id)
                .put("name", bit.text)
                .put("arguments", bit.inner.get(0).text);
        case "custom" ->
            list.addObject()
                .put("type", "custom_tool_call")
                .put("call_id", bit.id)
                .put("name", bit.text)
                .put("input", bit.inner.get(0).text);
        case "result" -> {
          boolean custom =
              said.stream()
                  .flatMap(s -> s.bits.stream())
                  .anyMatch(call -> call.kind.equals("custom") && call.id.equals(bit.id));
          ObjectNode item =
              list.addObject()
                  .put("type", (custom ? "custom_tool" : "function") + "_call_output")
                  .put("call_id", bit.id);
          if (bit.inner.isEmpty()) {
            item.put("output", "");
          } else {
            ArrayNode output = item.putArray("output");
            bit.inner.forEach(b -> block(output.addObject(), Shape.RESPONSES, b, "tool", marks));
          }
        }
        default -> {
          if (content == null) {
            content =
                list.addObject().put("type", "message").put("role", one.role).putArray("content");
          }
          block(content.addObject(), Shape.RESPONSES, bit, one.role, marks);
        }
      }
    }
  }

  private static void block(ObjectNode into, Shape format, Bit bit, String role, boolean marks) {
    String data =
        bit.text.length() % 4 == 0
            ? bit.text
            : (bit.text + "AAA").substring(0, 4 * ((bit.text.length() + 3) / 4));
    switch (bit.kind) {
      case "text" ->
          into.put(
                  "type",
                  format != Shape.RESPONSES
                      ? "text"
                      : role.equals("assistant") ? "output_text" : "input_text")
              .put("text", bit.text);
      case "call", "custom" -> {
        into.put("type", "tool_use").put("id", bit.id).put("name", bit.text);
        try {
          into.set(
              "input",
              bit.kind.equals("custom")
                  ? JSON.createObjectNode().put("input", bit.inner.get(0).text)
                  : JSON.readTree(bit.inner.get(0).text));
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
          throw new AssertionError(e);
        }
      }
      case "result" -> {
        into.put("type", "tool_result").put("tool_use_id", bit.id);
        if (bit.text.equals("failed")) {
          into.put("is_error", true);
        }
        if (!bit.inner.isEmpty()) {
          ArrayNode content = into.putArray("content");
          bit.inner.forEach(inner -> block(content.addObject(), format, inner, "tool", marks));
        }
      }
      case "image", "link" -> {
        String url =
            bit.kind.equals("link")
                ? "https://x.example/" + bit.text
                : "data:image/png;base64," + data;
        if (format == Shape.CHAT) {
          into.put("type", "image_url").putObject("image_url").put("url", url);
        } else if (format == Shape.RESPONSES) {
          into.put("type", "input_image").put("detail", "auto").put("image_url", url);
        } else if (bit.kind.equals("link")) {
          into.put("type", "image").putObject("source").put("type", "url").put("url", url);
        } else {
          into.put("type", "image")
              .putObject("source")
              .put("type", "base64")
              .put("media_type", "image/png")
              .put("data", data);
        }
      }
      default -> {
        String url = "data:application/pdf;base64," + data;
        if (format == Shape.CHAT) {
          into.put("type", "file").putObject("file").put("filename", "a.pdf").put("file_data", url);
        } else if (format == Shape.RESPONSES) {
          into.put("type", "input_file").put("filename", "a.pdf").put("file_data", url);
        } else {
          into.put("type", "document")
              .putObject("source")
              .put("type", "base64")
              .put("media_type", "application/pdf")
              .put("data", data);
        }
      }
    }
    if (marks && bit.mark && !role.equals("assistant") && !role.equals("tool")) {
      if (format == Shape.MESSAGES) {
        into.putObject("cache_control").put("type", "ephemeral");
      } else {
        into.putObject("prompt_cache_breakpoint").put("mode", "explicit");
      }
    }
  }

  /** What each format says of the conversation, in order, without images and files. */
  List<String> words(Shape format) {
    List<String> words = new ArrayList<>();
    for (Said one : said) {
      for (Bit bit : one.bits) {
        switch (bit.kind) {
          case "text" -> words.add(mark(bit.text));
          case "call", "custom" -> words.add("call " + bit.text + " " + bit.inner.get(0).text);
          case "result" -> {
            boolean error = format == Shape.MESSAGES && bit.text.equals("failed");
            words.add("result" + (error ? " failed" : ""));
            bit.inner.stream()
                .filter(b -> b.kind.equals("text"))
                .forEach(b -> words.add(mark(b.text)));
          }
          default -> {}
        }
      }
    }
    return words;
  }

  /** The images and files in order: those of results only where the called format has them. */
  List<String> media(Shape format) {
    List<String> media = new ArrayList<>();
    for (Said one : said) {
      for (Bit bit : one.bits) {
        if (bit.kind.equals("image") || bit.kind.equals("link") || bit.kind.equals("file")) {
          media.add(bit.text);
        }
        if (format != Shape.CHAT) {
          bit.inner.stream().filter(b -> b.kind.equals("image")).forEach(b -> media.add(b.text));
        }
      }
    }
    return media;
  }

  /** The number by which a text is known. */
  static String mark(String text) {
    return text.substring(0, text.indexOf('~') + 1);
  }
}
