package io.memorygateway.format.translation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.format.content.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random members of a call besides its messages, and what a call says by them. */
final class GeneratedAsk {
  private static final String SCHEMA =
      "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"string\"}},\"required\":[\"x\"],"
          + "\"additionalProperties\":false}";

  private GeneratedAsk() {}

  /** Adds random members in the words of a format. */
  static void add(ObjectNode body, Shape format, Random random) {
    choice(body, format, random.nextInt(6));
    String[] efforts = {"none", "minimal", "low", "medium", "high", "xhigh", "max"};
    String effort = random.nextInt(3) == 0 ? null : efforts[random.nextInt(efforts.length)];
    boolean schema = random.nextInt(3) == 0;
    int limit = 16 + random.nextInt(90_000);
    switch (format) {
      case CHAT -> {
        body.put("max_completion_tokens", limit).put("reasoning_effort", effort);
        if (schema) {
          body.putObject("response_format")
              .put("type", "json_schema")
              .putObject("json_schema")
              .put("name", "s")
              .putRawValue("schema", raw(SCHEMA));
        }
        body.put("user", "u" + limit).put("stream", random.nextBoolean());
      }
      case MESSAGES -> {
        body.put("max_tokens", limit);
        if (effort != null) {
          body.putObject("output_config").put("effort", effort);
        }
        if (schema) {
          body.withObject("/output_config")
              .putObject("format")
              .put("type", "json_schema")
              .putRawValue("schema", raw(SCHEMA));
        }
        body.putObject("metadata").put("user_id", "u" + limit);
        body.put("stream", random.nextBoolean());
      }
      default -> {
        body.put("max_output_tokens", limit);
        body.putObject("reasoning").put("effort", effort);
        if (schema) {
          body.putObject("text")
              .putObject("format")
              .put("type", "json_schema")
              .put("name", "s")
              .putRawValue("schema", raw(SCHEMA));
        }
        body.put("user", "u" + limit).put("stream", random.nextBoolean());
      }
    }
  }

  private static com.fasterxml.jackson.databind.util.RawValue raw(String json) {
    return new com.fasterxml.jackson.databind.util.RawValue(json);
  }

  private static void choice(ObjectNode body, Shape format, int kind) {
    boolean messages = format == Shape.MESSAGES;
    if (kind < 3) {
      String mode = new String[] {"auto", "none", "required"}[kind];
      if (messages) {
        body.putObject("tool_choice").put("type", kind == 2 ? "any" : mode);
      } else {
        body.put("tool_choice", mode);
      }
    } else if (kind == 3) {
      ObjectNode choice = body.putObject("tool_choice").put("type", messages ? "tool" : "function");
      (format == Shape.CHAT ? choice.putObject("function") : choice).put("name", "tool_2");
    } else if (kind == 4 && !messages) {
      body.put("parallel_tool_calls", false);
    } else if (kind == 4) {
      body.putObject("tool_choice").put("type", "auto").put("disable_parallel_tool_use", true);
    }
  }

  /** What is asked, as far as a target of a format can say it. */
  static List<String> of(Request asked, Shape target) {
    List<String> said = new ArrayList<>();
    Effort effort = asked.effort();
    boolean messages = target == Shape.MESSAGES;
    said.add("effort " + (messages && effort == Effort.MINIMAL ? Effort.LOW : effort));
    ToolChoice choice = asked.choice();
    said.add("choice " + (choice == null ? ToolChoice.AUTO : choice));
    // Nothing is called.
    boolean none = choice != null && choice.mode() == ToolChoice.Mode.NONE;
    said.add("parallel " + (none || !Boolean.FALSE.equals(asked.parallelCalls())));
    OutputFormat output = asked.output();
    said.add("output " + (output == null || output.schema() == null ? "" : output.schema().raw()));
    said.add("limit " + asked.maxOutput());
    said.add("user " + asked.endUser());
    said.add("stream " + asked.stream());
    return said;
  }
}
