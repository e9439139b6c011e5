package io.memorygateway.reference;

import static java.util.stream.Collectors.toMap;

import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import io.memorygateway.MemoryGatewayConfiguration;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Looks into configuration objects as Jackson does. */
final class Beans {
  private static final String OURS = MemoryGatewayConfiguration.class.getPackageName();

  private final ObjectMapper json;

  Beans(ObjectMapper json) {
    this.json = json;
  }

  JavaType type(Class<?> type) {
    return json.constructType(type);
  }

  /** Whether the reference must name every key that this class can read. */
  boolean isOurs(JavaType type) {
    return type.getRawClass().getName().startsWith(OURS + ".")
        && !type.isEnumType()
        && json.getSerializationConfig().introspect(type).findJsonValueAccessor() == null
        && !readable(type).isEmpty();
  }

  /** What can be written in config.yml for a class, with the types. */
  Map<String, JavaType> readable(JavaType type) {
    return json.getDeserializationConfig().introspect(type).findProperties().stream()
        .filter(property -> property.couldDeserialize())
        .collect(toMap(BeanPropertyDefinition::getName, BeanPropertyDefinition::getPrimaryType));
  }

  /** Whether Dropwizard, not the gateway, brings this key of a class. */
  boolean isInherited(JavaType type, String name) {
    return property(type, name)
        .map(accessor -> !accessor.getDeclaringClass().getName().startsWith(OURS + "."))
        .orElse(false);
  }

  /** What an object has for a key; null also stands for an empty Optional. */
  Object value(Object bean, KeyPath path) {
    Object value = bean;
    for (String step : path.steps()) {
      if (value instanceof Map<?, ?> map) {
        value = map.get(step.equals(KeyPath.ANY_NAME) ? KeyPath.SAMPLE : step);
      } else if (value instanceof List<?> list) {
        value = list.get(KeyPath.index(step));
      } else if (value != null) {
        value = memberValue(value, step);
      }
      value = value instanceof Optional<?> optional ? optional.orElse(null) : value;
    }
    return value;
  }

  /** Of what stands at a path that has no list or map as its last but one step. */
  JavaType type(Object bean, KeyPath path) {
    Object parent = value(bean, path.parent());
    JavaType type =
        property(type(parent.getClass()), path.name())
            .map(AnnotatedMember::getType)
            .orElseGet(() -> type(field(parent, path.name()).getType()));
    return type.isReferenceType() ? type.getReferencedType() : type;
  }

  private Object memberValue(Object bean, String name) {
    Optional<AnnotatedMember> member = property(type(bean.getClass()), name);
    if (member.isPresent()) {
      return member.get().getValue(bean);
    }
    try {
      return field(bean, name).get(bean);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Some of Dropwizard's classes have a setter only. */
  private static Field field(Object bean, String name) {
    for (Class<?> type = bean.getClass(); type != null; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (field.getName().equals(name)) {
          field.setAccessible(true);
          return field;
        }
      }
    }
    throw new IllegalStateException(bean.getClass() + " does not tell its " + name);
  }

  private Optional<AnnotatedMember> property(JavaType type, String name) {
    return json.getSerializationConfig().introspect(type).findProperties().stream()
        .filter(property -> property.getName().equals(name) && property.getAccessor() != null)
        .findFirst()
        .map(
            property -> {
              property.getAccessor().fixAccess(true);
              return property.getAccessor();
            });
  }
}
