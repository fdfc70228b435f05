import type { UsecaseKey } from '@sightline/domain'
import {
  IconAlertHexagon,
  IconBarrierBlock,
  IconDoorEnter,
  IconEyeOff,
  IconFaceId,
  IconFlame,
  IconHelmet,
  IconHourglass,
  IconMask,
  IconRoute,
  IconRuler2,
  IconUsers,
  IconUsersGroup,
} from '@tabler/icons-react'

export const usecaseIcons: Record<UsecaseKey, typeof IconUsers> = {
  pplcnt: IconUsers,
  pplcntavg: IconUsersGroup,
  pplocc: IconDoorEnter,
  phydist: IconRuler2,
  ppedtec: IconHelmet,
  fcmsk: IconMask,
  intrdtec: IconBarrierBlock,
  loiterdtec: IconHourglass,
  frdtec: IconFlame,
  coldtec: IconAlertHexagon,
  fcrecog: IconFaceId,
  ppltrk: IconRoute,
  emptyframecheck: IconEyeOff,
}
