package io.memorygateway.proxy.route;

import io.memorygateway.format.call.Prefill;
import io.memorygateway.format.call.ProviderTraits;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** What known providers take back of earlier answers, by the host of their addresses. */
final class Makers {
  /** Hosts that refuse members of OpenAI's own, such as {@code prompt_cache_key}. */
  private static final Set<String> NOT_OF_OPENAI =
      Set.of("googleapis.com", "mistral.ai", "groq.com", "cerebras.ai");

  /** Those that are told of an answer that is begun, DeepSeek at its address for that alone. */
  private static final Map<String, Prefill> PREFILLS =
      Map.of(
          "mistral.ai", Prefill.PREFIX,
          "moonshot.ai", Prefill.PARTIAL,
          "moonshot.cn", Prefill.PARTIAL,
          "kimi.com", Prefill.PARTIAL,
          "aliyuncs.com", Prefill.PARTIAL);

  private Makers() {}

  /** What a provider takes as long as its settings do not say; an unknown one takes all. */
  static ProviderTraits traits(String baseUrl) {
    String host = host(baseUrl);
    return taken(host)
        .withStrictRoles(isOf(host, "mistral.ai"))
        .withPrefill(prefill(host, baseUrl.endsWith("/beta") || baseUrl.endsWith("/beta/")));
  }

  private static Prefill prefill(String host, boolean beta) {
    if (isOf(host, "deepseek.com")) {
      return beta ? Prefill.PREFIX : Prefill.NONE;
    }
    return PREFILLS.entrySet().stream()
        .filter(maker -> isOf(host, maker.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(Prefill.NONE);
  }

  private static ProviderTraits taken(String host) {
    if (isOpenAi(host)) {
      return new ProviderTraits(Set.of("audio"), false, true);
    }
    if (isOf(host, "anthropic.com") || isOf(host, "groq.com")) {
      return new ProviderTraits(Set.of(), false, true);
    }
    if (isOf(host, "googleapis.com")) {
      return new ProviderTraits(Set.of("extra_content"), false, true);
    }
    if (isOf(host, "mistral.ai")) {
      // It sends the usage of every stream.
      return new ProviderTraits(Set.of("thinking"), true, false);
    }
    if (isOf(host, "openrouter.ai")) {
      Set<String> members = new HashSet<>(ProviderTraits.ALL.reasoning());
      // What it has read of a file is not read, and paid for, again.
      members.add("annotations");
      return new ProviderTraits(members, true, true);
    }
    return ProviderTraits.ALL;
  }

  /** Chat's member of the limit of the output. */
  static String maxTokensMember(String baseUrl) {
    return isOpenAi(host(baseUrl)) ? "max_completion_tokens" : "max_tokens";
  }

  /** Whether it takes members of requests that OpenAI's API alone has. */
  static boolean takesOpenAiMembers(String baseUrl) {
    String host = host(baseUrl);
    return NOT_OF_OPENAI.stream().noneMatch(domain -> isOf(host, domain));
  }

  private static boolean isOpenAi(String host) {
    return isOf(host, "openai.com") || isOf(host, "openai.azure.com");
  }

  private static String host(String url) {
    int start = url.indexOf("://") + 3;
    int end = start;
    while (end < url.length() && url.charAt(end) != '/' && url.charAt(end) != ':') {
      end++;
    }
    return start <= url.length() ? url.substring(start, end) : "";
  }

  private static boolean isOf(String host, String domain) {
    return host.equals(domain) || host.endsWith("." + domain);
  }
}
