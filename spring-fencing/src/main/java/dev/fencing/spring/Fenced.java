package dev.fencing.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs a method under a fenced lock: acquires the lock, raises the fence, begins the transaction,
 * runs the method, commits or rolls back, and then releases.
 *
 * <p>With {@code @Transactional} on the method as well, its settings are those of the transaction;
 * the lock is outside of it, whatever its order. Without, or with {@code @Transactional} that
 * nothing processes, the method runs in a transaction of the transaction manager, which every
 * exception rolls back. {@code @Transactional(propagation = NOT_SUPPORTED)} gives a lock without a
 * transaction, under which the method may open several.
 *
 * <p>{@link FencedHold#current()} has the token. A call from within a hold of the same resource
 * joins it. A call inside an active transaction throws an {@link IllegalStateException}, because
 * the raise would come after reads and the release before the commit; so does one for another
 * resource inside a fenced transaction: name both resources on the outer method. What is thrown
 * besides is that of {@code FencedRunner} and {@code FencedResource.inTransaction}, as itself also
 * where Spring has wrapped it, and what the method throws.
 *
 * <p>Like {@code @Transactional} it works through a proxy: a call from within the same object is
 * not seen. A private, static or final method, and a return type that is finished later (a future,
 * a reactive type) without {@code @Async}, are refused at start.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface Fenced {

  /**
   * What is fenced: names under the lock root, such as {@code "ledger"} or {@code
   * "account/#{#id}"}. Several are acquired in the order of their names, so that two calls never
   * wait for each other.
   *
   * <p>Between <code>#{</code> and <code>}</code> is a SpEL expression on the arguments. Its value
   * is encoded so that it stays one part of the path: every character but letters, digits and
   * {@code -_.~@:+,=} becomes {@code %} and two hex digits for each of its bytes. An empty or null
   * value is refused with an {@link IllegalArgumentException}, and so is a name of more than 255
   * characters. Placeholders of properties are resolved once, at start.
   */
  String[] value();

  /**
   * How long to wait for each lock, such as {@code "5s"} or {@code "${ledger.wait}"}; "0s" does not
   * wait. That of {@link FencedLocks} by default.
   */
  String waitTime() default "";

  /**
   * The name of the transaction manager for a method without {@code @Transactional} of its own; the
   * only or primary one by default.
   */
  String transactionManager() default "";

  /**
   * Whether the method runs only while a {@link FencedLeader} of this resource leads, under the
   * leader's hold, and is left out otherwise. For one resource without expressions, and a method
   * that returns nothing, such as one that is {@code @Scheduled}.
   */
  boolean leader() default false;
}
