# Fonts for panels and pictures, embedded, so that a bare server looks like a desktop. Without them the program looks for a
# font at its start; if there is none, it draws with a bitmap font.
set(_font_folders /usr/share/fonts/truetype/dejavu /usr/share/fonts/dejavu-sans-fonts
    /usr/share/fonts/dejavu-sans-mono-fonts /usr/share/fonts/TTF)
find_file(GRAVLAB_TEXT_FONT DejaVuSans.ttf PATHS ${_font_folders} NO_DEFAULT_PATH)
find_file(GRAVLAB_MONO_FONT DejaVuSansMono.ttf PATHS ${_font_folders} NO_DEFAULT_PATH)
if(NOT GRAVLAB_TEXT_FONT OR NOT GRAVLAB_MONO_FONT)
  message(STATUS "No fonts to embed: DejaVu Sans was not found. Debian/Ubuntu: apt install fonts-dejavu-core.")
endif()
