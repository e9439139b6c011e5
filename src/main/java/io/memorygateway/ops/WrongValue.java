package io.memorygateway.ops;

import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.InvalidNullException;
import com.fasterxml.jackson.databind.exc.InvalidTypeIdException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.PropertyBindingException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import io.dropwizard.util.DataSize;
import io.dropwizard.util.Duration;
import java.math.BigDecimal;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Says in plain words what a value of config.yml has to be; Jackson names classes. */
final class WrongValue {
  private static final Pattern KNOWN_TYPES = Pattern.compile("known type ids = \\[([^]]*)]");
  private static final Set<Class<?>> WHOLE =
      Set.of(int.class, long.class, Integer.class, Long.class);
  private static final Set<Class<?>> FRACTIONS =
      Set.of(double.class, float.class, Double.class, Float.class, BigDecimal.class);

  private WrongValue() {}

  /** A line with the key and what it must be; null if the failure is of another kind. */
  static @Nullable String line(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof JsonMappingException mapping) {
        if (mapping instanceof InvalidNullException) {
          return key(mapping) + ": is empty; give it a value or leave it out";
        }
        if (mapping instanceof InvalidTypeIdException untyped && untyped.getTypeId() == null) {
          return key(mapping) + ": type is missing";
        }
        String what = what(mapping);
        return what == null ? null : key(mapping) + ": must be " + what;
      }
    }
    return null;
  }

  private static String key(JsonMappingException failure) {
    return failure.getPath().stream()
        .map(
            part -> part.getFieldName() == null ? "[" + part.getIndex() + "]" : part.getFieldName())
        .collect(Collectors.joining("."));
  }

  private static @Nullable String what(JsonMappingException failure) {
    if (failure instanceof InvalidTypeIdException) {
      Matcher known = KNOWN_TYPES.matcher(failure.getMessage());
      return known.find() ? "of one of the types " + known.group(1) : null;
    }
    if (failure instanceof PropertyBindingException) {
      return null;
    }
    if (failure instanceof ValueInstantiationException refused) {
      return quantity(refused.getType().getRawClass());
    }
    return failure instanceof MismatchedInputException wrong && wrong.getTargetType() != null
        ? what(wrong.getTargetType())
        : null;
  }

  private static String what(Class<?> type) {
    String quantity = quantity(type);
    if (quantity != null) {
      return quantity;
    }
    if (type.isEnum()) {
      return "one of "
          + Arrays.stream(type.getEnumConstants())
              .map(constant -> ((Enum<?>) constant).name().toLowerCase(Locale.ROOT))
              .collect(Collectors.joining(", "));
    }
    if (WHOLE.contains(type)) {
      return "a whole number";
    }
    if (FRACTIONS.contains(type)) {
      return "a number";
    }
    if (type == Boolean.class || type == boolean.class) {
      return "true or false";
    }
    if (ZoneId.class.isAssignableFrom(type)) {
      return "a time zone, such as UTC or Europe/Berlin";
    }
    if (type == String.class || isWrittenAsText(type)) {
      return "a text";
    }
    if (Collection.class.isAssignableFrom(type) || type.isArray()) {
      return "a list, such as [a, b]";
    }
    return Map.class.isAssignableFrom(type)
        ? "a map of names, such as {name: value}"
        : "a section with keys of its own";
  }

  private static boolean isWrittenAsText(Class<?> type) {
    return Arrays.stream(type.getMethods())
        .anyMatch(
            method ->
                method.isAnnotationPresent(JsonValue.class)
                    && method.getReturnType() == String.class);
  }

  private static @Nullable String quantity(Class<?> type) {
    if (type == Duration.class) {
      return "a duration with its unit, such as 2s or 10m";
    }
    return type == DataSize.class ? "a size with its unit, such as 32MiB" : null;
  }
}
