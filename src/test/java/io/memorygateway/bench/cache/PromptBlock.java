package io.memorygateway.bench.cache;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.observation.text.TokenCounter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A block of a prompt, in the order in which providers read it: tools, system prompt, messages. A
 * string is one block of text.
 *
 * @param text role and content without marks, by which a provider knows it again
 * @param mark {@code cache_control}; missing if it has none
 */
public record PromptBlock(String text, String type, int tokens, JsonNode mark) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TokenCounter COUNTER = new TokenCounter();

  /** Blocks recur in every prompt of a thread. */
  private static final Map<String, PromptBlock> KNOWN = new ConcurrentHashMap<>();

  /** The blocks of a request in any of the three formats, which is taken apart. */
  public static List<PromptBlock> of(JsonNode body) {
    List<PromptBlock> blocks = new ArrayList<>();
    add("tool", body.path("tools"), blocks);
    add("system", body.path("instructions"), blocks);
    add("system", body.path("system"), blocks);
    for (String list : List.of("messages", "input")) {
      for (JsonNode message : body.path(list)) {
        boolean isSaid = message.has("role") && !message.has("tool_calls");
        JsonNode content = message.path("content");
        if (isSaid && !message.path("role").asText().equals("tool")) {
          add(message.path("role").asText(), content, blocks);
        } else {
          blocks.add(block("item", message));
        }
      }
    }
    return blocks;
  }

  public static JsonNode tree(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(json, e);
    }
  }

  /** The tokens of what is the same at the beginning of two prompts. */
  public static long shared(List<PromptBlock> one, List<PromptBlock> other) {
    long tokens = 0;
    for (int at = 0; at < Math.min(one.size(), other.size()); at++) {
      String a = one.get(at).text();
      String b = other.get(at).text();
      if (!a.equals(b)) {
        int same = 0;
        while (same < Math.min(a.length(), b.length()) && a.charAt(same) == b.charAt(same)) {
          same++;
        }
        return tokens + COUNTER.count(a.substring(0, same));
      }
      tokens += one.get(at).tokens();
    }
    return tokens;
  }

  public static long tokens(List<PromptBlock> blocks) {
    return blocks.stream().mapToLong(PromptBlock::tokens).sum();
  }

  private static void add(String role, JsonNode content, List<PromptBlock> blocks) {
    if (content.isTextual()) {
      blocks.add(block(role, JSON.createObjectNode().put("type", "text").set("text", content)));
    } else {
      content.forEach(part -> blocks.add(block(role, part)));
    }
  }

  private static PromptBlock block(String role, JsonNode part) {
    JsonNode mark = part.path("cache_control");
    if (part instanceof ObjectNode object) {
      object.remove("cache_control");
    }
    String type = part.path("type").asText();
    String text =
        role + " " + (type.equals("text") ? part.path("text").asText() : part.toString()) + "\n";
    PromptBlock known =
        KNOWN.computeIfAbsent(
            text, key -> new PromptBlock(key, type, COUNTER.count(key), MissingNode.getInstance()));
    return mark.isObject() ? new PromptBlock(known.text(), type, known.tokens(), mark) : known;
  }
}
