package io.memorygateway.console;

import io.memorygateway.operator.Role;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Role that a method of a resource requires. A method without it is never served. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface RequiredRole {
  Role value();

  /** Name in the audit log of what is refused to a lower role; required above the lowest. */
  String act() default "";
}
