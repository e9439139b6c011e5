/**
 * Operators' tasks. An {@link AdminTask} is written once and offered twice, with the same words and
 * the same errors: as a command by {@link TaskCommand} and on the admin port by {@link
 * AdminTaskServlet}. Its {@link TaskUsage} is the help of either. What is a command only, as it
 * reads files or the console, extends {@link DatabaseCommand}.
 */
@org.jspecify.annotations.NullMarked
package io.memorygateway.operator;
