package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RateLimitRuleTest {
  @Test
  void aRuleCountsTheRequestsOfItsClassAndOfTheClassesThatArePartOfIt() {
    assertThat(counted(AppliesTo.ALL)).containsExactlyInAnyOrder(RequestKind.values());
    assertThat(counted(AppliesTo.LLM)).containsExactly(RequestKind.LLM);
    assertThat(counted(AppliesTo.MEMORY))
        .containsExactly(RequestKind.MEMORY_READ, RequestKind.MEMORY_WRITE);
    assertThat(counted(AppliesTo.MEMORY_READ)).containsExactly(RequestKind.MEMORY_READ);
    assertThat(counted(AppliesTo.MEMORY_WRITE)).containsExactly(RequestKind.MEMORY_WRITE);
  }

  private static Set<RequestKind> counted(AppliesTo appliesTo) {
    Set<RequestKind> kinds = EnumSet.allOf(RequestKind.class);
    kinds.removeIf(kind -> !appliesTo.covers(kind));
    return kinds;
  }
}
