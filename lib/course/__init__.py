"""What the notebooks show: figures, workshops and the checks of exercises."""
