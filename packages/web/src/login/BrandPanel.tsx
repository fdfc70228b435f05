import { useTranslation } from 'react-i18next'
import { useInstance } from '../app/instance.ts'
import classes from './BrandPanel.module.css'

/** What the product does, as a picture: a room seen by a camera, people found in it, a line that counts them. */
export function BrandPanel() {
  const { t } = useTranslation()
  const { name } = useInstance()
  return (
    <div className={classes.root}>
      <svg className={classes.picture} viewBox="0 0 640 420" aria-hidden="true" preserveAspectRatio="xMidYMid slice">
        <g className={classes.room}>
          <path d="M0 420 220 210h200l220 210M220 210V70h200v140M0 0l220 70M640 0 420 70" />
          <path d="M73 420 243 210M220 420l46 -210M420 420l-46 -210M567 420 397 210M110 315h420M165 262h310" />
        </g>
        <path className={classes.line} d="M96 350 544 300" />
        <g className={classes.people}>
          <path d="M178 266a11 11 0 1 0 .1 0M163 300q15 -14 30 0v42h-8l-3 34h-8l-3 -34h-8z" />
          <path d="M352 218a9 9 0 1 0 .1 0M340 246q12 -11 24 0v34h-6l-3 27h-6l-3 -27h-6z" />
          <path d="M470 240a10 10 0 1 0 .1 0M457 271q13 -12 26 0v38h-7l-3 30h-6l-3 -30h-7z" />
        </g>
        <g className={classes.boxes}>
          <rect x="150" y="256" width="57" height="128" rx="4" />
          <rect x="329" y="210" width="46" height="104" rx="4" />
          <rect x="445" y="231" width="51" height="116" rx="4" />
        </g>
        <g className={classes.tags}>
          <rect x="150" y="236" width="26" height="16" rx="4" />
          <rect x="329" y="190" width="26" height="16" rx="4" />
          <rect x="445" y="211" width="26" height="16" rx="4" />
          <text x="163" y="248">
            1
          </text>
          <text x="342" y="202">
            2
          </text>
          <text x="458" y="223">
            3
          </text>
        </g>
      </svg>
      <p className={classes.words}>
        <b>{name}</b>
        {t('login.tagline')}
      </p>
    </div>
  )
}
