package io.memorygateway.format.translation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A whole answer in no format's words.
 *
 * @param id that the target gave it; empty if it gave none
 * @param model as the target named it; empty if it did not
 * @param created seconds since 1970; 0 if the target does not say
 * @param stopSequence that ended it; null if none did, or the target does not say which
 */
public record Answer(
    String id,
    String model,
    long created,
    List<Piece> pieces,
    Stop stop,
    @Nullable String stopSequence,
    Usage usage) {}
