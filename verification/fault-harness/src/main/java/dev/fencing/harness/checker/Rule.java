package dev.fencing.harness.checker;

/** One check. */
interface Rule {

  /** Looks at a whole run; linear but for sorting and searching. */
  Finding judge(Indexed run);
}
