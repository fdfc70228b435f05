import { Logo } from '../ui/Logo.tsx'
import classes from './ShellSkeleton.module.css'

/** What stands there until it is known who is there: the outline of the shell, without words. */
export function ShellSkeleton() {
  return (
    <div className={classes.root} aria-busy="true">
      <div className={classes.bar}>
        <Logo />
      </div>
      <div className={classes.menu} />
    </div>
  )
}
