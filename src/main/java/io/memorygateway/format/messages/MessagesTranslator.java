package io.memorygateway.format.messages;

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
import io.memorygateway.format.translation.Member;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.Terms;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.json.JsonValue;
import java.util.List;
import java.util.Map;

/** Messages' side of translation. */
public final class MessagesTranslator implements Translator {
  private static final int MAX_ID_LENGTH = 64;

  private static final List<Member> MEMBERS =
      List.of(
          Member.mapped("model", "the target's model"),
          Member.mapped("messages", "see below"),
          Member.mapped("system", "leading system messages"),
          Member.mapped("max_tokens", "the limit of the output; 0 is refused"),
          Member.mapped("stop_sequences", "Chat's stop; refused by Responses"),
          Member.mapped("stream", "with a request for usage"),
          Member.shared("temperature"),
          Member.shared("top_p"),
          Member.shared("top_k"),
          Member.mapped("tools", "functions; hosted ones are named"),
          Member.mapped("tool_choice", "with disable_parallel_tool_use"),
          Member.mapped("thinking", "an effort"),
          Member.mapped("output_config", "an effort, and the format of the answer"),
          Member.mapped("output_format", "the older name of output_config.format"),
          Member.mapped("metadata", "user_id is the end user, the rest metadata"),
          Member.mapped("cache_control", "prompt_cache_key"),
          Member.named("service_tier", "\"auto\""),
          Member.named("speed", "\"standard\""),
          Member.named("container"),
          Member.named("context_management"),
          Member.named("compaction"),
          Member.named("diagnostics"),
          Member.named("inference_geo"),
          Member.named("mcp_servers", "[]"),
          Member.named("fallbacks", "[]"),
          Member.named("fallback_credit_token"),
          Member.named("billing_policy"),
          Member.named("user_profile_id"),
          Member.named("workspace_id"),
          Member.refused("thread", "its provider keeps no threads of messages."));

  @Override
  public Shape shape() {
    return Shape.MESSAGES;
  }

  @Override
  public Map<String, Long> addedTo(List<JsonValue> tools) {
    return MessagesClientTools.addedTo(tools);
  }

  @Override
  public boolean answersWithTools() {
    return false;
  }

  /** Whether a file is in this format, and so of a provider of it; none of them hears. */
  @Override
  public boolean takes(Part part) {
    return part.shape() == Shape.MESSAGES;
  }

  @Override
  public String nameOf(Topic topic) {
    return switch (topic) {
      case EFFORT -> "thinking";
      case OUTPUT_FORMAT -> "output_config.format";
      case STOP -> "stop_sequences";
      case TEMPERATURE -> "temperature";
      case CACHE_MARKS -> "cache_control";
      case PARALLEL_CALLS -> "tool_choice.disable_parallel_tool_use";
      case TOOL_CHOICE -> "tool_choice";
      case AUDIO -> "messages.audio";
      case FILES -> "messages.source.file_id";
      case USER -> "metadata.user_id";
    };
  }

  @Override
  public List<Member> members() {
    return MEMBERS;
  }

  @Override
  public Request read(JsonValue root, Dropped dropped) throws MalformedBodyException {
    return new MessagesCallReader(root, dropped).read(MEMBERS);
  }

  @Override
  public byte[] write(Request request, Terms terms, Translator called, Dropped dropped)
      throws MalformedBodyException {
    return new MessagesCallWriter(request, terms, called, dropped).write(MEMBERS);
  }

  @Override
  public ToolIds ids() {
    return new ToolIds(MAX_ID_LENGTH, false);
  }

  @Override
  public Answer readAnswer(JsonValue answer, String maker, CallIds calls) {
    return MessagesAnswers.read(answer, maker, calls);
  }

  @Override
  public byte[] writeAnswer(Answer answer, Called called) {
    return MessagesAnswers.write(answer, called);
  }

  @Override
  public AnswerReader openReader(String maker, CallIds calls) {
    return new MessagesEventReader(maker, calls);
  }

  @Override
  public AnswerWriter openWriter(Called called) {
    return new MessagesEventWriter(called);
  }

  @Override
  public byte[] error(Fault fault) {
    return MessagesErrors.body(fault);
  }
}
