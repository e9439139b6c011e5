package io.memorygateway.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AuditTextTest {
  @Test
  void numbersAreTheirDigitsAsInAnswers() {
    assertThat(AuditText.state(Map.of("limit", new BigDecimal("0.0000001"))))
        .isEqualTo("{\"limit\":0.0000001}");
  }
}
