package io.memorygateway.price;

import com.google.common.base.CaseFormat;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Kind of what is paid for; written in dollars for a million, counted in pico-dollars for one. */
enum Rate {
  INPUT(null),
  OUTPUT(null),
  CACHE_READ(INPUT),
  CACHE_WRITE5M(INPUT),
  CACHE_WRITE1H(CACHE_WRITE5M),
  REASONING(OUTPUT),
  AUDIO_INPUT(INPUT),
  AUDIO_OUTPUT(OUTPUT),
  /** A call, whatever its tokens. */
  REQUEST(null);

  static final List<String> WIRE_NAMES = Arrays.stream(values()).map(Rate::wireName).toList();

  private final @Nullable Rate standIn;

  Rate(@Nullable Rate standIn) {
    this.standIn = standIn;
  }

  /** The kind, earlier in the order, whose price holds where this one has none. */
  @Nullable Rate standIn() {
    return standIn;
  }

  /** Name in config.yml and in the table. */
  String wireName() {
    return CaseFormat.UPPER_UNDERSCORE.to(CaseFormat.LOWER_CAMEL, name());
  }
}
