import type { Catalogue } from '../catalogue.ts'

export const login: Catalogue['login'] = {
  title: 'Se connecter',
  hint: 'Bienvenue sur {{name}}.',
  name: 'E-mail ou nom d’utilisateur',
  password: 'Mot de passe',
  submit: 'Se connecter',
  wrong: 'Le nom d’utilisateur ou le mot de passe est faux.',
  show: 'Afficher ou masquer le mot de passe',
  first:
    'Personne n’a encore de compte. Ouvrez l’adresse avec le jeton d’installation que la commande de démarrage a affichée.',
  tagline: 'Ce que voient vos caméras, en chiffres.',
  out: 'Session fermée',
  outHint: 'Votre session est terminée, et ce navigateur l’a oubliée.',
  again: 'Se reconnecter',
}

export const register: Catalogue['register'] = {
  title: 'Créer le premier administrateur',
  hint: 'Ce compte peut tout faire. Les autres viendront après.',
  titleOpen: 'Créer votre compte',
  hintOpen: 'Vous commencez comme observateur ; un administrateur peut vous donner plus de droits.',
  firstname: 'Prénom',
  lastname: 'Nom',
  username: 'Nom d’utilisateur',
  email: 'E-mail',
  password: 'Mot de passe',
  usernameHint: 'Au moins 6 caractères : lettres, chiffres, . _ - @',
  passwordHint: 'Au moins 8 caractères, avec un caractère spécial et un chiffre',
  confirm: 'Mot de passe, encore une fois',
  submit: 'Créer le compte',
  noToken: 'Le jeton d’installation manque',
  noTokenHint: 'Ouvrez l’adresse entière affichée par la commande de démarrage, avec tout ce qui suit « token= ».',
}

export const support: Catalogue['support'] = {
  title: 'Assistance',
  hint: 'Ce qui aide quand quelque chose ne marche pas.',
  contact: 'Contact',
  noContact: 'Cette instance n’a pas encore de contact d’assistance.',
  diagnostics: 'Diagnostic',
  diagnosticsHint: 'Copiez ceci dans votre message : il ne contient ni mot de passe ni image.',
  copy: 'Copier le diagnostic',
  version: 'Version',
  server: 'Serveur',
  answers: 'répond',
  silent: 'ne répond pas',
  browser: 'Navigateur',
  screen: 'Fenêtre',
  zone: 'Fuseau horaire',
  time: 'Heure',
  stream: 'Direct',
  role: 'Rôle',
}
