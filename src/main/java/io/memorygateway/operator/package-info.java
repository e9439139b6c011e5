/**
 * Operators' tasks. An {@link AdminTask} is written once and offered twice, with the same
 * parameters and errors: as a command by {@link TaskCommand} and on the admin port by {@link
 * AdminTaskServlet}. Its {@link TaskUsage} is the help of both. A command that has no task, because
 * it reads files or the console, extends {@link DatabaseCommand}.
 */
@org.jspecify.annotations.NullMarked
package io.memorygateway.operator;
