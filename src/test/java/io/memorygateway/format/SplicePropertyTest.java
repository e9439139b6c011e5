package io.memorygateway.format;

import static io.memorygateway.format.Answers.bytes;
import static io.memorygateway.format.Answers.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.format.chat.ChatFormat;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Random bodies, written down twice: as they come in and as they should go out. */
class SplicePropertyTest {
  private static final String[] SPACE = {"", "", "", " ", "\n", "\t", "\r\n  "};
  private static final String[] NAMES = {
    "a", "a", "\\u0061", "é", "日本", "Model", "models", "include_usage", "\\\"model\\\"", "", "😀"
  };
  private static final String[] SCALARS = {
    "1.10",
    "1e400",
    "-1E-400",
    "12345678901234567890",
    "-0.0",
    "0",
    "true",
    "false",
    "null",
    "\"\"",
    "\"model\"",
    "\"\\\"model\\\":\\\"x\\\"\"",
    "\"\\\\\"",
    "\"}]{[,:\"",
    "\"\\u00e9\\/\"",
    "\"é😀日本\"",
    "\"\\ud83d\\ude00\"",
    "\"\\ud800\"",
    "\"" + "A".repeat(250) + "\"",
    "9".repeat(900)
  };

  private final Random random = new Random(20261120);
  private final StringBuilder in = new StringBuilder();
  private final StringBuilder out = new StringBuilder();

  @Test
  void changesNoByteOutsideItsEdits() throws Exception {
    for (int round = 0; round < 20_000; round++) {
      in.setLength(0);
      out.setLength(0);
      boolean chatStream = random.nextBoolean();
      writeBody(chatStream);

      byte[] body = bytes(in.toString());
      byte[] prepared =
          new ChatFormat().prepare(RequestBody.parse(body), Calls.model("new/\"mödel\""));

      assertThat(text(prepared)).isEqualTo(out.toString());
      assertThat(text(body)).as("the input is left alone").isEqualTo(in.toString());
    }
  }

  @Test
  void writesJsonThatOtherReadersUnderstandAlike() throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    for (int round = 0; round < 2_000; round++) {
      in.setLength(0);
      out.setLength(0);
      writeBody(true);

      JsonNode prepared =
          mapper.readTree(
              new ChatFormat().prepare(RequestBody.parse(bytes(in.toString())), Calls.model("n")));

      assertThat(prepared.at("/model").asText()).isEqualTo("n");
      assertThat(prepared.at("/stream_options/include_usage").booleanValue()).isTrue();
    }
  }

  private void writeBody(boolean chatStream) {
    List<Runnable> members = new ArrayList<>();
    int usage = random.nextInt(3);
    members.add(() -> writeModel(chatStream && usage == 0));
    if (chatStream || random.nextBoolean()) {
      members.add(() -> both("\"stream\"" + space() + ":" + space() + chatStream));
    }
    if (usage == 1) {
      members.add(() -> writeNullStreamOptions(chatStream));
    } else if (usage == 2) {
      members.add(() -> writeStreamOptions(chatStream));
    }
    for (int i = random.nextInt(5); i > 0; i--) {
      members.add(() -> both(member(3)));
    }
    Collections.shuffle(members, random);
    both(space() + "{");
    for (int i = 0; i < members.size(); i++) {
      both((i == 0 ? "" : ",") + space());
      members.get(i).run();
      both(space());
    }
    both("}" + space());
  }

  private void writeModel(boolean addStreamOptions) {
    both((random.nextBoolean() ? "\"model\"" : "\"m\\u006fdel\"") + space() + ":" + space());
    in.append(random.nextBoolean() ? "\"openai/gpt\"" : "\"\\\"\\\\é\\u00e9😀\"");
    out.append("\"new/\\\"mödel\\\"\"");
    if (addStreamOptions) {
      out.append(",\"stream_options\":{\"include_usage\":true}");
    }
  }

  private void writeNullStreamOptions(boolean edited) {
    both("\"stream_options\"" + space() + ":" + space());
    in.append("null");
    out.append(edited ? "{\"include_usage\":true}" : "null");
  }

  private void writeStreamOptions(boolean edited) {
    both("\"stream_options\"" + space() + ":" + space() + "{");
    List<String> others = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      others.add("\"x\"" + space() + ":" + value(2));
    }
    if (random.nextBoolean()) {
      for (String other : others) {
        both(space() + other + space() + ",");
      }
      String before = new String[] {"true", "false", "null"}[random.nextInt(3)];
      both(space() + "\"include_usage\"" + space() + ":" + space());
      in.append(before);
      out.append(edited ? "true" : before);
    } else {
      if (edited) {
        out.append("\"include_usage\":true").append(others.isEmpty() ? "" : ",");
      }
      both(space() + String.join("," + space(), others));
    }
    both(space() + "}");
  }

  private String member(int depth) {
    return '"' + NAMES[random.nextInt(NAMES.length)] + '"' + space() + ":" + space() + value(depth);
  }

  private String value(int depth) {
    int kind = depth == 0 ? 0 : random.nextInt(4);
    if (kind < 2) {
      return SCALARS[random.nextInt(SCALARS.length)];
    }
    List<String> items = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      items.add(space() + (kind == 2 ? value(depth - 1) : member(depth - 1)) + space());
    }
    String joined = items.isEmpty() ? space() : String.join(",", items);
    return kind == 2 ? "[" + joined + "]" : "{" + joined + "}";
  }

  private String space() {
    return SPACE[random.nextInt(SPACE.length)];
  }

  private void both(String text) {
    in.append(text);
    out.append(text);
  }
}
