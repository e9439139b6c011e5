package io.memorygateway.format.chat;

import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.ToolIds;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.translation.Answer;
import io.memorygateway.format.translation.AnswerReader;
import io.memorygateway.format.translation.AnswerWriter;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.Called;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.format.translation.Gathered;
import io.memorygateway.format.translation.Member;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.Terms;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.json.JsonValue;
import java.util.List;
import java.util.Map;

/** Chat's side of translation. */
public final class ChatTranslator implements Translator {
  @Override
  public Shape shape() {
    return Shape.CHAT;
  }

  /** Whether it is an audio, or a file that is none of Anthropic's; images have no ids here. */
  @Override
  public boolean takes(Part part) {
    return part instanceof Part.Other
        || (part instanceof Part.File && part.shape() != Shape.MESSAGES);
  }

  @Override
  public String nameOf(Topic topic) {
    return switch (topic) {
      case EFFORT -> "reasoning_effort";
      case OUTPUT_FORMAT -> "response_format";
      case STOP -> "stop";
      case TEMPERATURE -> "temperature";
      case CACHE_MARKS -> "prompt_cache_breakpoint";
      case PARALLEL_CALLS -> "parallel_tool_calls";
      case TOOL_CHOICE -> "tool_choice";
      case AUDIO -> "input_audio";
      case FILES -> "file";
      case USER -> "user";
    };
  }

  @Override
  public List<Member> members() {
    return ChatMembers.ALL;
  }

  @Override
  public Map<String, Long> addedTo(List<JsonValue> tools) {
    long custom = tools.stream().filter(tool -> tool.text("type").equals("custom")).count();
    return Map.of(Tool.Custom.ADDED, custom);
  }

  @Override
  public Request read(JsonValue root, Dropped dropped) throws MalformedBodyException {
    return new ChatCallReader(root, dropped).read();
  }

  @Override
  public byte[] write(Request request, Terms terms, Translator called, Dropped dropped)
      throws MalformedBodyException {
    return new ChatCallWriter(request, terms, called, dropped).write();
  }

  @Override
  public ToolIds ids() {
    return new ToolIds(ChatFormat.MAX_ID_LENGTH, true);
  }

  @Override
  public Answer readAnswer(JsonValue answer, String maker, CallIds calls) {
    Gathered whole = new Gathered();
    ChatEventReader reader = new ChatEventReader(maker, calls);
    reader.read("", answer, whole);
    reader.done(whole);
    return whole.answer();
  }

  @Override
  public byte[] writeAnswer(Answer answer, Called called) {
    return new ChatAnswerWriter(called).write(answer);
  }

  @Override
  public AnswerReader openReader(String maker, CallIds calls) {
    return new ChatEventReader(maker, calls);
  }

  @Override
  public AnswerWriter openWriter(Called called) {
    return new ChatEventWriter(called);
  }

  @Override
  public byte[] error(Fault fault) {
    return ChatErrors.body(fault);
  }
}
